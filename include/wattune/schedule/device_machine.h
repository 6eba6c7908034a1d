// DeviceMachine: a device of this process, CUDA's or OpenCL's, as a machine for schedulers; times are measured.
//
// The device outlives it. It keeps the kernels that were added, and owns its streams. While it runs launches, nobody
// else launches on the device; kernels may be added from any thread at any time, all else is as of Machine. Its
// destruction stops what can be stopped and waits for the rest, for as long as the options say.
//
//   WATTUNE_ASSIGN(const auto device, backend::open_cuda_in_primary_context("cuda:0"));
//   WATTUNE_ASSIGN(auto machine, schedule::DeviceMachine::make(*device));
//   WATTUNE_ASSIGN(const auto id, machine->add(kernel, traits));
//   schedule::Runtime runtime(std::move(machine), {.policy = policy});
#pragma once

#include <memory>
#include <vector>

#include "wattune/backend/device.h"
#include "wattune/core/result.h"
#include "wattune/schedule/loaded_kernel.h"
#include "wattune/schedule/machine.h"

namespace wattune::schedule {

struct DeviceMachineOptions {
  // Persistent blocks take as many logical blocks at a time as run for so long, which bounds what fetching costs and
  // how long stopping takes.
  Nanoseconds chunk_time = Nanoseconds(10e3);
  // Boards renew their counter of energy about so often, and a thread reads it as often; infinite: never.
  Nanoseconds energy_every = nanoseconds_from_ms(100);
  // For which its destruction waits for what runs. Then all is as after a timeout of Device::finish().
  Nanoseconds end_limit = nanoseconds_from_seconds(10);
};

class DeviceMachine final : public Machine {
 public:
  // device_lost. What the device cannot do (ranges, slices) is refused when it is asked for.
  static Result<std::unique_ptr<DeviceMachine>> make(backend::Device& device, const DeviceMachineOptions& options = {});
  ~DeviceMachine() override;

  // What the device and the grid say of a kernel: name, blocks, what a block takes, how many are resident alone, which
  // forms it has. Its time alone, its profile and its utilisation are left to whoever measures them.
  Result<KernelTraits> traits_of(const LoadedKernel& kernel) const;
  // A kernel with these traits; what the code has no form for is struck out of them. The same kernel with other traits
  // costs a table entry. invalid_argument: the traits have other blocks than the kernel.
  Result<KernelId> add(std::shared_ptr<const LoadedKernel> kernel, KernelTraits traits);

  // Sets the copies that launches of this kernel may name; beyond the last one the first follows again. Precondition:
  // the kernel was added, and nothing runs.
  void set_copies(KernelId id, std::vector<std::shared_ptr<const LoadedKernel>> copies);

  // The capability of devices that are not CUDA's is 0.0, which is unknown. split_grain is the driver's; as large as
  // `sms` where streams cannot have SMs of their own.
  const MachineLimits& limits() const override;
  const KernelTraits* kernel(KernelId id) const override;
  Nanoseconds now() const override;  // since it was made, of the steady clock
  Joules energy() const override;    // as it was read last; the board is not asked

  // unavailable: the kernel has no such form, the device no such range; invalid_argument: blocks beyond the grid;
  // launch_failed and device_lost, as Stream::launch().
  Result<LaunchId> launch(const Launch& launch) override;
  void stop(LaunchId launch) override;
  // Begin and end are the device's times on the clock of now(). They lie between the moments at which the launch was
  // sent and at which its end was noticed.
  std::vector<Ended> wait(Nanoseconds until) override;
  void wake() override;

 private:
  struct State;
  explicit DeviceMachine(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace wattune::schedule
