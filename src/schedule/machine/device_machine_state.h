// The state of a DeviceMachine, with the steps of its work.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "core/stopwatch.h"
#include "schedule/interface/device_machine.h"
#include "schedule/machine/board_energy.h"
#include "schedule/machine/device_clock.h"
#include "schedule/machine/device_parts.h"
#include "schedule/machine/end_watch.h"
#include "schedule/machine/progress_slots.h"

namespace wattune::inline v0_1::schedule {

struct DeviceMachine::State {
  struct Added {
    std::shared_ptr<const LoadedKernel> kernel;
    KernelTraits traits;
    std::vector<std::shared_ptr<const LoadedKernel>> copies = {};

    const std::shared_ptr<const LoadedKernel>& used_by(const Launch& launch) const {
      if (launch.data != nullptr) return launch.data;
      return launch.copy == 0 || copies.empty() ? kernel : copies[(launch.copy - 1) % copies.size()];
    }
  };

  // A launch under way.
  struct Flight {
    LaunchId id = 0;
    Launch launch = {};
    std::shared_ptr<const LoadedKernel> kernel = {};  // the kernel with the buffers that the launch uses
    Nanoseconds sent = {};
    Nanoseconds turn = {};      // moment when it had been sent and all launches before it had ended
    Nanoseconds expected = {};  // expected time from that moment on; 0 if unknown
    std::vector<std::unique_ptr<backend::Event>> parts = {};
    std::size_t parts_over = 0;              // number of parts that have ended; these are the first parts
    std::vector<std::size_t> progress = {};  // slots of a persistent launch; in a sequence there is one for each part
    bool stopped = false;                    // true if the launch was requested to stop
    std::optional<Error> failure = {};
  };

  struct Lane {
    std::unique_ptr<backend::Stream> stream;
    std::deque<Flight> flights;  // launches in the order in which they run
  };
  using LaneKey = std::tuple<unsigned, int, unsigned, unsigned>;  // lane, priority, range

  State(backend::Device& on, const MachineLimits& of, const DeviceMachineOptions& how)
      : device(on), options(how), limits(of), progress(on) {}

  backend::Device& device;
  DeviceMachineOptions options;
  MachineLimits limits;
  Stopwatch clock;  // the clock of now()
  DeviceClock device_clock;
  EndWatch watch;
  ProgressSlots progress;
  std::map<LaneKey, Lane> lanes;
  std::vector<std::unique_ptr<backend::Stream>> spare;  // streams for lanes on all SMs, made in advance to save time
  LaunchId launches = 0;
  std::optional<Error> lost;

  std::optional<BoardEnergy> energy;  // energy of the board; empty if its sensors are absent or forbidden

  mutable std::mutex mutex;  // guards all members below
  std::condition_variable changed;
  bool woken = false;
  std::deque<Added> kernels;

  const Added* find(KernelId id) const;

  unsigned sms_of(const Launch& launch) const { return launch.sms.count > 0 ? launch.sms.count : limits.sms; }
  Result<void> divide_memory(const Added& added, const Launch& launch);
  Result<void> warm_up();
  Result<std::unique_ptr<backend::Stream>> stream_for(const Launch& launch);
  Result<Lane*> lane(const Launch& launch);
  Result<void> await_buffers(const Lane& lane, const Flight& flight);
  Result<std::vector<DevicePart>> prepare(const Added& added, Flight& flight);
  Result<std::vector<DevicePart>> prepare_persistent(const Added& added, Flight& flight);
  void give_back_progress(const Flight& flight);
  Result<void> send(Lane& lane, Flight& flight, std::span<const DevicePart> parts);
  void stop(Flight& flight);

  void begin_turns(const Launch& ended, const Lane& of, Nanoseconds end);
  std::vector<Ended> take_ended();
  bool is_over(Flight& flight) const;
  Ended end_of(Flight& flight);
  Result<std::uint64_t> blocks_of(const Flight& flight);
  std::vector<Ended> lose(const Error& error);
  bool take_wake();
  Nanoseconds until_next_look() const;
  void pause(Nanoseconds left);
};

}  // namespace wattune::schedule
