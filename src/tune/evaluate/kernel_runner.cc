#include "tune/evaluate/kernel_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "measure/interface/output_check.h"
#include "tune/interface/launch_arguments.h"

namespace wattune::inline v0_1::tune {

namespace {

// Idle time after which clocks may have dropped. If this constant is too short, a warm-up is wasted; if it is too long,
// one or two samples are slow.
constexpr Nanoseconds kIdleGap = nanoseconds_from_ms(10);
// Number of launches for which one wait is made. There are so few of them that a hanging kernel is noticed soon. There
// are so many of them that the round trip to the worker costs almost nothing.
constexpr std::size_t kBatch = 32;

// Bytes that are written to flush the caches, if the device has enough memory. They are more than the last-level cache
// of any GPU today (256 MiB in the AMD Instinct MI300X).
constexpr std::size_t kFlushBytes = std::size_t{512} << 20;

// Returns the time limit for moving this many bytes between host and device. The limit does not depend on the
// configuration, and no machine takes that long.
Nanoseconds transfer_limit(std::size_t bytes) {
  constexpr Nanoseconds kLeastTransferLimit = nanoseconds_from_seconds(60);
  constexpr double kNanosecondsPerByte = 10.0;
  return std::max(kLeastTransferLimit, Nanoseconds(kNanosecondsPerByte * static_cast<double>(bytes)));
}

// Describes the places of out-of-bounds writes. The guard before one buffer may lie behind another buffer, so every
// place is named. Ends of buffers come before beginnings, because most such writes run past an end.
std::string describe_writes(std::vector<std::string> ends, const std::vector<std::string>& beginnings,
                            std::size_t buffers) {
  const bool may_be_behind_another = ends.empty() && buffers > 1;
  ends.insert(ends.end(), beginnings.begin(), beginnings.end());
  if (ends.empty()) return {};
  return fmt::format("wrote {}{}", fmt::join(ends, " and "),
                     may_be_behind_another ? ", or far past the end of another" : "");
}

// Adds the position of the argument to an error that has no position, such as the error for a buffer that is too large.
Error in_argument(Error error, const Argument& argument) {
  const bool has_place = !error.position().file.empty();
  error = std::move(error).with_context(fmt::format("argument `{}`", argument.name));
  return has_place ? error : std::move(error).at(argument.position);
}

std::size_t launches_of_a_run(const Launch& launch) {
  std::size_t count = 0;
  for (const PlannedStep& step : launch.steps) count += step.repeat;
  return count;
}

// Returns how many runs a graph has, if one run takes `each`. They take long enough that the time for beginning a graph
// counts for nothing.
std::size_t runs_in_graph(Nanoseconds each, std::size_t launches, Nanoseconds limit) {
  constexpr Nanoseconds kGraphTime = nanoseconds_from_ms(1);
  constexpr std::size_t kMostLaunches = 1024;
  const double most = std::max(1.0, static_cast<double>(kMostLaunches) / static_cast<double>(launches));
  if (each <= Nanoseconds()) return static_cast<std::size_t>(most);
  return static_cast<std::size_t>(std::clamp(std::ceil(std::min(kGraphTime, limit) / each), 1.0, most));
}

// Returns the sample of one run of a launch, from the events of its steps.
Result<Sample> sample_of(const std::vector<std::unique_ptr<backend::Event>>& steps) {
  Sample sample;
  for (const std::unique_ptr<backend::Event>& step : steps) {
    WATTUNE_ASSIGN(const Nanoseconds time, step->duration());
    sample.time += time;
    const backend::Conditions conditions = step->conditions();
    sample.clock = conditions.clock;
    sample.throttled |= conditions.throttled.value_or(false);
  }
  return sample;
}

}  // namespace

Result<void> KernelRunner::prepare(const std::vector<PlannedArgument>& planned) {
  if (!stream_) {
    WATTUNE_ASSIGN(stream_, device_.create_stream());
  }
  std::size_t uploaded = 0;
  Result<void> queued = upload_missing(planned, uploaded);
  // The stream is finished even after an error, because queued transfers read contents that may be replaced afterwards.
  Result<void> finished = uploaded > 0 ? finish_transfer(uploaded) : Result<void>();
  return queued ? finished : queued;
}

Result<void> KernelRunner::finish_transfer(std::size_t bytes) {
  const Nanoseconds before = working_;
  Result<void> finished = finish(transfer_limit(bytes));
  transferring_ += working_ - before;
  return finished;
}

Result<void> KernelRunner::finish_launches(Nanoseconds limit) {
  ++waits_;
  return finish(limit);
}

// Adds the time for which these runs queued for the device: the time `waited` until they had ended, minus the time for
// which the device ran them. The first `uncounted` runs are not timed. Each of them is assumed to be as long as the
// mean of the others.
Result<void> KernelRunner::note_queueing(const std::vector<Events>& runs, std::size_t uncounted, Nanoseconds waited) {
  if (device_.info().kind == DeviceKind::cpu) return {};
  WATTUNE_ASSIGN(const Nanoseconds begin, runs[uncounted].front()->start());
  WATTUNE_ASSIGN(const Nanoseconds end, runs.back().back()->end());
  const double all_over_counted = static_cast<double>(runs.size()) / static_cast<double>(runs.size() - uncounted);
  queueing_ += std::max(Nanoseconds(), waited - all_over_counted * (end - begin));
  return {};
}

Result<void> KernelRunner::upload_missing(const std::vector<PlannedArgument>& planned, std::size_t& uploaded) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const auto* wanted = std::get_if<PlannedBuffer>(&planned[i]);
    if (wanted == nullptr || slots_[i].holds(*wanted)) continue;
    if (Result<void> done = upload(i, *wanted); !done) {
      slots_[i] = {};  // so that a buffer whose contents are missing does not count as prepared
      return in_argument(std::move(done).error(), arguments_[i]);
    }
    uploaded += wanted->bytes;
  }
  return {};
}

Result<void> KernelRunner::upload(std::size_t argument, const PlannedBuffer& planned) {
  Slot& slot = slots_[argument];
  slot = {};
  ++objects_;
  slot.pixels = planned.pixels;
  WATTUNE_ASSIGN(slot.buffer, create(planned));
  if (access(argument) == ArgumentAccess::write_only) return {};
  WATTUNE_ASSIGN(const std::span<const std::byte> contents, contents_.get(argument, planned.length));
  if (access(argument) == ArgumentAccess::read_only) return stream_->write(*slot.buffer, contents);
  WATTUNE_ASSIGN(slot.pristine, create(planned));
  return stream_->write(*slot.pristine, contents);
}

Result<std::unique_ptr<backend::Buffer>> KernelRunner::create(const PlannedBuffer& planned) {
  return planned.pixels ? device_.create_pixel_buffer(*planned.pixels) : device_.create_buffer(planned.bytes);
}

Result<void> KernelRunner::restore(Outputs outputs) {
  const std::byte poison = outputs == Outputs::fresh_otherwise ? measure::kOtherPoison : measure::kPoison;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    if (slot.pristine) WATTUNE_TRY(stream_->copy(*slot.pristine, *slot.buffer));
    if (outputs != Outputs::reused && slot.buffer && access(i) == ArgumentAccess::write_only)
      WATTUNE_TRY(stream_->fill(*slot.buffer, poison));
  }
  return {};
}

Result<void> KernelRunner::set_up(Outputs outputs) {
  WATTUNE_TRY(restore(outputs));
  return outputs == Outputs::reused && options_.cache == Cache::cold ? flush_caches() : Result<void>();
}

// Flushes the caches by writing a large buffer, which replaces their contents.
Result<void> KernelRunner::flush_caches() {
  if (!flush_) {
    const std::size_t room = device_.info().max_allocation_bytes.value_or(0) / 4;
    WATTUNE_ASSIGN(flush_, device_.create_buffer(room > 0 ? std::min(kFlushBytes, room) : kFlushBytes));
  }
  return stream_->fill(*flush_, std::byte{0});
}

Result<std::vector<Sample>> KernelRunner::run(const Kernels& kernels, const Launch& launch, Outputs outputs,
                                              std::size_t n, Nanoseconds limit, Nanoseconds compile_limit) {
  stream_->allow_compiling(compile_limit);
  const std::size_t most = std::max<std::size_t>(1, kBatch / launches_of_a_run(launch));
  return run_timed([&](Outputs before) { return queue_run(kernels, launch, before); }, outputs, n, most, limit);
}

Result<std::vector<Sample>> KernelRunner::run_timed(const QueueTimed& queue, Outputs outputs, std::size_t n,
                                                    std::size_t most, Nanoseconds limit) {
  if (since_last_run_ && since_last_run_->elapsed() > kIdleGap) busy_ = Nanoseconds();
  std::vector<Sample> samples;
  samples.reserve(n);
  const Stopwatch working;
  while (samples.size() < n) {
    WATTUNE_ASSIGN(const auto batch, run_batch(queue, outputs, std::min(most, n - samples.size()), limit));
    samples.insert(samples.end(), batch.begin(), batch.end());
  }
  // The time of a first launch is not counted, because the driver may have compiled code during that time, which does
  // not use the device.
  if (outputs == Outputs::reused) busy_ += working.elapsed();
  since_last_run_.emplace();
  return samples;
}

Result<std::vector<Sample>> KernelRunner::run_batch(const QueueTimed& queue, Outputs outputs, std::size_t n,
                                                    Nanoseconds limit) {
  const std::size_t uncounted = options_.is_shared && outputs == Outputs::reused ? 1 : 0;
  std::vector<Events> runs(uncounted + n);
  for (Events& events : runs) {
    const bool is_later = outputs == Outputs::fresh_once && &events != &runs.front();
    WATTUNE_ASSIGN(events, queue(is_later ? Outputs::reused : outputs));
  }
  const Nanoseconds before = working_;
  WATTUNE_TRY(finish_launches(limit * static_cast<double>(runs.size())));
  WATTUNE_TRY(note_queueing(runs, uncounted, working_ - before));
  std::vector<Sample> samples;
  samples.reserve(n);
  for (std::size_t i = uncounted; i < runs.size(); ++i) {
    WATTUNE_ASSIGN(samples.emplace_back(), sample_of(runs[i]));
  }
  return samples;
}

// Queues n runs in parts. After each part it submits the queued runs, so that the device begins while the others are
// queued.
template <typename Queue>
Result<void> KernelRunner::keep_at_work(std::size_t n, Nanoseconds limit, Queue queue) {
  constexpr std::size_t kMostQueued = 4096;
  constexpr std::size_t kLaunchesPerSubmit = 256;
  const Stopwatch working;
  for (std::size_t i = 0; i < n; ++i) {
    WATTUNE_TRY(queue());
    if (i % kLaunchesPerSubmit == kLaunchesPerSubmit - 1) WATTUNE_TRY(stream_->submit());
    if (i % kMostQueued == kMostQueued - 1 || i == n - 1)
      WATTUNE_TRY(finish_launches(limit * static_cast<double>(std::min(n, kBatch))));
  }
  busy_ += working.elapsed();
  since_last_run_.emplace();
  return {};
}

// Keeps the device busy. After an error the stream is dropped, because queued launches use kernels that will be
// destroyed before the stream is finished next.
Result<void> KernelRunner::keep_busy(const Kernels& kernels, const Launch& launch, std::size_t n, Nanoseconds limit) {
  WATTUNE_ASSIGN(const PreparedSteps steps, prepare_steps(kernels, launch));
  return keep_at_work(n, limit, [&]() -> Result<void> {
    Result<void> sent = send_run(steps);
    if (!sent) drop_stream();
    return sent;
  });
}

Result<KernelRunner::PreparedSteps> KernelRunner::prepare_steps(const Kernels& kernels, const Launch& launch) {
  PreparedSteps steps;
  for (const PlannedStep& step : launch.steps) {
    const std::vector<backend::LaunchArgument> arguments = launch_arguments(launch, step);
    WATTUNE_ASSIGN(auto prepared, stream_->prepare(*kernels.at(step.function), step.geometry, arguments));
    steps.push_back({std::move(prepared), step.repeat});
  }
  return steps;
}

Result<void> KernelRunner::send_run(const PreparedSteps& steps) {
  WATTUNE_TRY(set_up(Outputs::reused));
  for (const PreparedStep& step : steps)
    for (std::size_t i = 0; i < step.repeat; ++i) WATTUNE_TRY(step.launch->send());
  return {};
}

bool KernelRunner::has_set_up() const { return options_.cache == Cache::cold || !restored().empty(); }

std::vector<std::size_t> KernelRunner::restored() const {
  std::vector<std::size_t> bytes;
  for (const Slot& slot : slots_)
    if (slot.pristine) bytes.push_back(slot.pristine->bytes());
  return bytes;
}

Result<void> KernelRunner::set_up_alone(std::size_t n, Nanoseconds limit) {
  return keep_at_work(n, limit, [this] { return set_up(Outputs::reused); });
}

Result<KernelRunner::Events> KernelRunner::queue_run(const Kernels& kernels, const Launch& launch, Outputs outputs) {
  Result<void> ready = set_up(outputs);
  Result<Events> events = ready ? launch_steps(kernels, launch) : std::move(ready).error();
  // Commands queued before an error use kernels that will be destroyed before the stream is finished next.
  if (!events) drop_stream();
  return events;
}

Result<std::vector<Sample>> KernelRunner::run_graphs(const Kernels& kernels, const Launch& launch, RunGraph& graph,
                                                     std::size_t n, Nanoseconds limit) {
  WATTUNE_TRY(make_graph(kernels, launch, graph, limit));
  const QueueTimed queue = [&](Outputs) { return queue_graph(graph); };
  WATTUNE_ASSIGN(std::vector<Sample> samples, run_timed(queue, Outputs::reused, n, kBatch, limit));
  for (Sample& sample : samples) sample.time = sample.time / static_cast<double>(graph.runs);
  return samples;
}

Result<void> KernelRunner::check_graphs() {
  const auto nothing = stream_->prepare_graph({}, 0);
  if (nothing || nothing.error().code() != ErrorCode::unavailable) return {};
  return nothing.error();
}

// Makes the graph. One run by itself decides how many runs it has.
Result<void> KernelRunner::make_graph(const Kernels& kernels, const Launch& launch, RunGraph& graph,
                                      Nanoseconds limit) {
  if (graph.launch && graph.objects == objects_) return {};
  if (graph.runs == 0) {
    WATTUNE_ASSIGN(const std::vector<Sample> alone, run(kernels, launch, Outputs::reused, 1, limit));
    graph.runs = runs_in_graph(alone.front().time, launches_of_a_run(launch), limit);
  }
  std::vector<backend::GraphNode> nodes;
  for (const PlannedStep& step : launch.steps)
    nodes.push_back({kernels.at(step.function).get(), step.geometry, launch_arguments(launch, step), step.repeat});
  WATTUNE_ASSIGN(graph.launch, stream_->prepare_graph(nodes, graph.runs));
  graph.objects = objects_;
  return {};
}

Result<KernelRunner::Events> KernelRunner::queue_graph(const RunGraph& graph) {
  const auto queue = [&]() -> Result<Events> {
    WATTUNE_TRY(set_up(Outputs::reused));
    Events events;
    WATTUNE_ASSIGN(events.emplace_back(), graph.launch->send_timed());
    return events;
  };
  Result<Events> events = queue();
  if (!events) drop_stream();
  return events;
}

Result<KernelRunner::Events> KernelRunner::launch_steps(const Kernels& kernels, const Launch& launch) {
  Events events;
  events.reserve(launches_of_a_run(launch));
  for (const PlannedStep& step : launch.steps) {
    const std::vector<backend::LaunchArgument> arguments = launch_arguments(launch, step);
    backend::Kernel& kernel = *kernels.at(step.function);
    for (std::size_t n = 0; n < step.repeat; ++n) {
      WATTUNE_ASSIGN(events.emplace_back(), stream_->launch(kernel, step.geometry, arguments));
    }
  }
  return events;
}

Result<std::vector<Metric>> KernelRunner::count(const Kernels& kernels, const Launch& launch,
                                                const std::vector<std::string>& counters, Nanoseconds limit) {
  WATTUNE_TRY(queue_run(kernels, launch, Outputs::reused));
  busy_ = Nanoseconds();  // since the device idles between the passes, and the profiler may have changed its clocks
  WATTUNE_ASSIGN(backend::Counters* const counting, device_.counters());
  return while_working([&] { return counting->count(*stream_, counters, limit); });
}

Result<void> KernelRunner::check_counters(const std::vector<std::string>& counters, Nanoseconds limit) {
  WATTUNE_ASSIGN(backend::Counters* const counting, device_.counters());
  WATTUNE_TRY(counting->count(*stream_, counters, limit));
  return {};
}

std::vector<backend::LaunchArgument> KernelRunner::launch_arguments(const Launch& launch,
                                                                    const PlannedStep& step) const {
  std::vector<const backend::Buffer*> buffers;
  for (const Slot& slot : slots_) buffers.push_back(slot.buffer.get());
  return tune::launch_arguments(arguments_, launch, step, buffers);
}

Result<std::span<const std::byte>> KernelRunner::read(std::size_t argument) {
  const backend::Buffer& buffer = *slots_[argument].buffer;
  read_back_.resize(buffer.bytes());
  WATTUNE_TRY(stream_->read(buffer, read_back_));
  WATTUNE_TRY(finish_transfer(buffer.bytes()));
  return std::span<const std::byte>(read_back_);
}

Result<std::string> KernelRunner::out_of_bounds_writes() {
  std::vector<std::string> ends;
  std::vector<std::string> beginnings;
  std::size_t buffers = 0;
  const Nanoseconds before_all = working_;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i].buffer) continue;
    ++buffers;
    WATTUNE_ASSIGN(const auto changed,
                   while_working([&] { return stream_->check_guards(*slots_[i].buffer, transfer_limit(0)); }));
    const auto [before, behind] = changed;
    const std::string& name = arguments_[i].name;
    if (behind > 0) ends.push_back(fmt::format("{} bytes past the end of argument `{}`", behind, name));
    if (before > 0) beginnings.push_back(fmt::format("{} bytes before the beginning of argument `{}`", before, name));
  }
  transferring_ += working_ - before_all;
  return describe_writes(std::move(ends), beginnings, buffers);
}

void KernelRunner::drop() {
  drop_stream();
  flush_.reset();
  slots_ = std::vector<Slot>(arguments_.size());
}

Nanoseconds KernelRunner::busy_time() const {
  return since_last_run_ && since_last_run_->elapsed() <= kIdleGap ? busy_ : Nanoseconds();
}

}  // namespace wattune::tune
