// KernelSession: a spec's arguments on the device, shared by all configurations, and how to launch kernels on them.
//
// Inputs travel to the device once in the device's life. An argument that kernels overwrite has a pristine copy there,
// from which it is restored before every launch; outputs are poisoned before a launch whose result is looked at, so
// that an element that was not written shows (0xFF bytes: NaN, -1).
//
// What a kernel writes into an argument declared read_only stays there until drop().
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/stopwatch.h"
#include "tune/argument_contents.h"
#include "tune/launch_plan.h"
#include "wattune/backend/device.h"
#include "wattune/tune/evaluator.h"

namespace wattune::tune {

// Which contents of outputs a launch starts from.
enum class Outputs {
  fresh,            // poisoned
  fresh_once,       // poisoned before the first run
  fresh_otherwise,  // poisoned with another byte
  reused,           // whatever the launch before left
};

// By the functions that the steps of a Launch name.
using Kernels = std::map<std::string, std::unique_ptr<backend::Kernel>>;

class KernelSession {
 public:
  // The references outlive it. `is_shared`: as EvaluatorOptions::is_shared.
  KernelSession(const std::vector<Argument>& arguments, ArgumentContents& contents, backend::Device& device,
                Cache cache = Cache::warm, bool is_shared = false)
      : arguments_(arguments),
        contents_(contents),
        device_(device),
        cache_(cache),
        is_shared_(is_shared),
        slots_(arguments.size()) {}

  // Brings the buffers that are not there, or have another size, onto the device. Before run(), and after its errors.
  Result<void> prepare(const std::vector<PlannedArgument>& planned);
  // Runs the launch n times and waits at most n * limit, and for `compile_limit` more where the driver compiles the
  // kernels only now; kernels[i] is what its step i launches. The time of each run on the device, the sum of its steps,
  // and what that was like: runs of one wait share a reading of its sensors. Where others compute on the device, one
  // more run begins each wait (Outputs::reused) and does not count, as it may hold the time in which they have it.
  Result<std::vector<Sample>> run(const Kernels& kernels, const Launch& launch, Outputs outputs, std::size_t n,
                                  Nanoseconds limit, Nanoseconds compile_limit = {});
  // The same for whoever wants the device at work and no times, which each cost a moment between two launches: launches
  // that were prepared once, as few waits as there can be, of `limit` for each of at most 32 runs.
  Result<void> keep_busy(const Kernels& kernels, const Launch& launch, std::size_t n, Nanoseconds limit);
  // Whether a timed run restores or flushes anything before it launches.
  bool has_set_up() const;
  // Bytes of each buffer that is restored.
  std::vector<std::size_t> restored() const;
  // That of n runs without launching. After prepare().
  Result<void> set_up_alone(std::size_t n, Nanoseconds limit);
  // Launches as often as it takes to count these (backend::Counters::count()), each time from the same contents. After
  // prepare().
  Result<std::vector<Metric>> count(const Kernels& kernels, const Launch& launch,
                                    const std::vector<std::string>& counters, Nanoseconds limit);
  // not_found, invalid_argument, unavailable: why these cannot be counted. After prepare().
  Result<void> check_counters(const std::vector<std::string>& counters, Nanoseconds limit);
  // The contents of vector argument i; valid until the next read.
  Result<std::span<const std::byte>> read(std::size_t argument);
  // What launches since the last call wrote outside the buffers, in words; empty when nothing.
  Result<std::string> out_of_bounds_writes();
  // Forgets everything on the device; before its reset().
  void drop();

  // How long commands were under way on the device, since this was made.
  Nanoseconds working_time() const { return working_; }
  // What of that went into moving contents between host and device.
  Nanoseconds transfer_time() const { return transferring_; }
  // What of it timed runs waited for their turn, as far as the device tells: from the first launch of a wait to the end
  // of its last one they had the device. On a processor it also compiles and sends, so that nothing of it is a wait.
  Nanoseconds queueing_time() const { return queueing_; }
  // How often launches were waited for.
  std::size_t waits() const { return waits_; }
  // How long the device has been at work for timed runs (Outputs::reused) since it last idled.
  Nanoseconds busy_time() const;

 private:
  using Events = std::vector<std::unique_ptr<backend::Event>>;  // one for each launch of a run
  struct PreparedStep {
    std::unique_ptr<backend::PreparedLaunch> launch;
    std::size_t repeat = 1;
  };
  using PreparedSteps = std::vector<PreparedStep>;

  struct Slot {
    std::unique_ptr<backend::Buffer> buffer;
    std::unique_ptr<backend::Buffer> pristine;  // of what kernels overwrite
    std::optional<backend::PixelLayout> pixels;

    bool holds(const PlannedBuffer& planned) const {
      return buffer != nullptr && buffer->bytes() == planned.bytes && pixels == planned.pixels;
    }
  };

  ArgumentAccess access(std::size_t argument) const {
    return std::get<VectorArgument>(arguments_[argument].kind).access;
  }
  // What wait() returns; the device works meanwhile.
  template <typename Wait>
  auto while_working(Wait wait) {
    const Stopwatch stopwatch;
    auto result = wait();
    working_ += stopwatch.elapsed();
    return result;
  }
  Result<void> finish(Nanoseconds limit) {
    return while_working([&] { return stream_->finish(limit); });
  }
  Result<void> finish_transfer(std::size_t bytes);
  Result<void> finish_launches(Nanoseconds limit);
  // Counts the bytes of what it uploaded.
  Result<void> upload_missing(const std::vector<PlannedArgument>& planned, std::size_t& uploaded);
  Result<void> upload(std::size_t argument, const PlannedBuffer& planned);
  Result<std::unique_ptr<backend::Buffer>> create(const PlannedBuffer& planned);
  // Everything that comes before a launch.
  Result<void> set_up(Outputs outputs);
  Result<void> restore(Outputs outputs);
  Result<void> flush_caches();
  // Queues n times what `queue` does, handing over now and then, and waits.
  template <typename Queue>
  Result<void> keep_at_work(std::size_t n, Nanoseconds limit, Queue queue);
  Result<std::vector<Sample>> run_batch(const Kernels& kernels, const Launch& launch, Outputs outputs, std::size_t n,
                                        Nanoseconds limit);
  // Of runs that were waited for so long, of which the first few do not count.
  Result<void> note_queueing(const std::vector<Events>& runs, std::size_t uncounted, Nanoseconds waited);
  // Both, or nothing: after an error the stream is gone.
  Result<Events> queue_run(const Kernels& kernels, const Launch& launch, Outputs outputs);
  Result<Events> launch_steps(const Kernels& kernels, const Launch& launch);
  Result<PreparedSteps> prepare_steps(const Kernels& kernels, const Launch& launch);
  Result<void> send_run(const PreparedSteps& steps);
  std::vector<backend::LaunchArgument> launch_arguments(const Launch& launch, const PlannedStep& step) const;

  const std::vector<Argument>& arguments_;
  ArgumentContents& contents_;
  backend::Device& device_;
  const Cache cache_;
  const bool is_shared_;
  std::unique_ptr<backend::Stream> stream_;
  std::unique_ptr<backend::Buffer> flush_;  // larger than the caches; only with Cache::cold
  std::vector<Slot> slots_;
  std::vector<std::byte> read_back_;
  Nanoseconds working_;
  Nanoseconds transferring_;
  Nanoseconds queueing_;
  std::size_t waits_ = 0;
  Nanoseconds busy_;
  std::optional<Stopwatch> since_last_run_;
};

}  // namespace wattune::tune
