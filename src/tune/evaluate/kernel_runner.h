// KernelRunner: a spec's arguments on the device, shared by all configurations, and the launches of kernels on them.
//
// Inputs are uploaded once, and again only after a reset of the device. An argument that kernels overwrite has an
// unchanged copy on the device, from which it is restored before every launch. Outputs are poisoned before a launch
// whose result is checked, so that unwritten elements show (0xFF bytes: NaN, -1).
//
// If a kernel writes into an argument that is declared read_only, the data stay there until drop().
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/stopwatch.h"
#include "tune/interface/argument_contents.h"
#include "tune/interface/launch_plan.h"
#include "wattune/backend/device.h"
#include "wattune/tune/evaluator.h"

namespace wattune::inline v0_1::tune {

// The contents that outputs have when a launch starts.
enum class Outputs {
  fresh,            // poisoned before each run
  fresh_once,       // poisoned before the first run only
  fresh_otherwise,  // poisoned with another byte than in `fresh`
  reused,           // contents that the last launch left
};

// Kernels by the names of the functions that the steps of a Launch name.
using Kernels = std::map<std::string, std::unique_ptr<backend::Kernel>>;

// A graph of many runs of a launch, which a KernelRunner makes and keeps up to date. The runner outlives it.
struct RunGraph {
  std::unique_ptr<backend::PreparedLaunch> launch;
  std::size_t runs = 0;     // in the graph; 0 before it is made first
  std::size_t objects = 0;  // the runner's objects of which it was made
};

class KernelRunner {
 public:
  // Makes a runner. The referenced objects must outlive the runner.
  KernelRunner(const std::vector<Argument>& arguments, ArgumentContents& contents, backend::Device& device,
               const EvaluatorOptions& options)
      : arguments_(arguments), contents_(contents), device_(device), options_(options), slots_(arguments.size()) {}

  // Uploads the buffers that are missing on the device, or have another size there. Call it before run(), and after
  // errors of run().
  Result<void> prepare(const std::vector<PlannedArgument>& planned);
  // Runs the launch n times and returns a sample for each run: its time on the device, the sum of its steps, and its
  // conditions. Runs that are waited for together get the same reading of the sensors. Waits at most n * limit, and
  // `compile_limit` more if the driver compiles the kernels only now. `kernels` has the kernel of each step's function.
  // If other processes compute on the device, each wait (Outputs::reused) begins with one more run that does not count,
  // because its time may include that of the other processes.
  Result<std::vector<Sample>> run(const Kernels& kernels, const Launch& launch, Outputs outputs, std::size_t n,
                                  Nanoseconds limit, Nanoseconds compile_limit = {});
  // Runs graphs of the launch, n of them, and returns a sample for each: the mean time of the runs in it. Arguments are
  // restored before each graph. Each may take `limit`. Makes the graph if it is missing, or if its buffers are gone.
  // Fails with unavailable if the device has no graphs.
  Result<std::vector<Sample>> run_graphs(const Kernels& kernels, const Launch& launch, RunGraph& graph, std::size_t n,
                                         Nanoseconds limit);
  // Checks that the device has graphs. Fails with unavailable. Call it after prepare().
  Result<void> check_graphs();
  // Runs the launch n times without timing it, because timing would leave a short gap between two launches. Launches
  // are prepared once, and there are as few waits as possible. The limit of a wait is `limit` for each run, for at most
  // 32 runs.
  Result<void> keep_busy(const Kernels& kernels, const Launch& launch, std::size_t n, Nanoseconds limit);
  // True if a timed run restores buffers or flushes caches before it launches.
  bool has_set_up() const;
  // Returns the size in bytes of each buffer that is restored before a run.
  std::vector<std::size_t> restored() const;
  // Does only the set-up of n runs, without launching. Call it after prepare().
  Result<void> set_up_alone(std::size_t n, Nanoseconds limit);
  // Launches as often as is needed to count these counters (backend::Counters::count()), each time from the same
  // contents. Call it after prepare().
  Result<std::vector<Metric>> count(const Kernels& kernels, const Launch& launch,
                                    const std::vector<std::string>& counters, Nanoseconds limit);
  // Checks that the counters can be counted. Fails with not_found, invalid_argument or unavailable, and the reason.
  // Call it after prepare().
  Result<void> check_counters(const std::vector<std::string>& counters, Nanoseconds limit);
  // Returns the contents of a vector argument, which are valid until the next read.
  Result<std::span<const std::byte>> read(std::size_t argument);
  // Describes in words the writes outside the buffers since the last call; empty if there were none.
  Result<std::string> out_of_bounds_writes();
  // Forgets all objects on the device. Call it before the device's reset().
  void drop();

  // Returns the total time for which commands were under way on the device since this object was made.
  Nanoseconds working_time() const { return working_; }
  // Returns the part of working_time() that moved contents between host and device.
  Nanoseconds transfer_time() const { return transferring_; }
  // Returns the part of working_time() in which timed runs waited for a device that others use, as far as the device's
  // events show. It is the time of a wait outside the span from its first launch to the end of its last. On a CPU,
  // which also compiles and sends, no time counts as waiting.
  Nanoseconds queueing_time() const { return queueing_; }
  // Returns how many times the host waited for launches.
  std::size_t waits() const { return waits_; }
  // Returns how long the device has been at work for timed runs (Outputs::reused) since it was last idle.
  Nanoseconds busy_time() const;

 private:
  using Events = std::vector<std::unique_ptr<backend::Event>>;  // events, one for each launch of a run
  struct PreparedStep {
    std::unique_ptr<backend::PreparedLaunch> launch;
    std::size_t repeat = 1;
  };
  using PreparedSteps = std::vector<PreparedStep>;

  struct Slot {
    std::unique_ptr<backend::Buffer> buffer;
    std::unique_ptr<backend::Buffer> pristine;  // a copy of the initial contents of a buffer that kernels overwrite
    std::optional<backend::PixelLayout> pixels;

    bool holds(const PlannedBuffer& planned) const {
      return buffer != nullptr && buffer->bytes() == planned.bytes && pixels == planned.pixels;
    }
  };

  ArgumentAccess access(std::size_t argument) const {
    return std::get<VectorArgument>(arguments_[argument].kind).access;
  }
  // Returns the result of wait(), and counts the time of the call as working time.
  template <typename Wait>
  auto while_working(Wait wait) {
    const Stopwatch stopwatch;
    auto result = wait();
    working_ += stopwatch.elapsed();
    return result;
  }
  // Drops the stream, whose queued commands use objects that will be destroyed.
  void drop_stream() {
    stream_.reset();
    ++objects_;
  }
  Result<void> finish(Nanoseconds limit) {
    return while_working([&] { return stream_->finish(limit); });
  }
  Result<void> finish_transfer(std::size_t bytes);
  Result<void> finish_launches(Nanoseconds limit);
  // Uploads missing buffers, and adds their bytes to `uploaded`.
  Result<void> upload_missing(const std::vector<PlannedArgument>& planned, std::size_t& uploaded);
  Result<void> upload(std::size_t argument, const PlannedBuffer& planned);
  Result<std::unique_ptr<backend::Buffer>> create(const PlannedBuffer& planned);
  // Queues all commands that come before a launch.
  Result<void> set_up(Outputs outputs);
  Result<void> restore(Outputs outputs);
  Result<void> flush_caches();
  // Calls `queue` n times, submits the commands in parts, and waits for all.
  template <typename Queue>
  Result<void> keep_at_work(std::size_t n, Nanoseconds limit, Queue queue);
  // Queues one timed command with its set-up, given what outputs hold before it.
  using QueueTimed = std::function<Result<Events>(Outputs)>;

  // Runs n timed commands in batches of at most `most`, and returns a sample for each.
  Result<std::vector<Sample>> run_timed(const QueueTimed& queue, Outputs outputs, std::size_t n, std::size_t most,
                                        Nanoseconds limit);
  Result<std::vector<Sample>> run_batch(const QueueTimed& queue, Outputs outputs, std::size_t n, Nanoseconds limit);
  Result<void> make_graph(const Kernels& kernels, const Launch& launch, RunGraph& graph, Nanoseconds limit);
  Result<Events> queue_graph(const RunGraph& graph);
  // Notes how long these runs queued for the device, which took `waited` until they had ended. The times of the first
  // `uncounted` are not used.
  Result<void> note_queueing(const std::vector<Events>& runs, std::size_t uncounted, Nanoseconds waited);
  // Queues set-up and launches of a run. After an error the stream is destroyed.
  Result<Events> queue_run(const Kernels& kernels, const Launch& launch, Outputs outputs);
  Result<Events> launch_steps(const Kernels& kernels, const Launch& launch);
  Result<PreparedSteps> prepare_steps(const Kernels& kernels, const Launch& launch);
  Result<void> send_run(const PreparedSteps& steps);
  std::vector<backend::LaunchArgument> launch_arguments(const Launch& launch, const PlannedStep& step) const;

  const std::vector<Argument>& arguments_;
  ArgumentContents& contents_;
  backend::Device& device_;
  const EvaluatorOptions& options_;
  std::unique_ptr<backend::Stream> stream_;
  std::size_t objects_ = 0;                 // counts how often the stream or a buffer became another
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
