#include "wattune/tune/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <stop_token>
#include <thread>

#include "core/logging.h"
#include "tune/interface/describe_run.h"
#include "wattune/backend/compile_pool.h"
#include "wattune/search/method.h"
#include "wattune/tune/search.h"

namespace wattune::inline v0_1::tune {

// The parts of a session. They are declared in such an order that later parts use earlier ones.
struct TuningSession::Parts {
  // A device with the objects that belong to it. In a replay, there is only an evaluator.
  struct Site {
    std::unique_ptr<backend::Device> device;
    std::unique_ptr<measure::MeasurePolicy> policy;
    std::unique_ptr<Evaluator> evaluator;
  };

  std::unique_ptr<TuningTask> task;
  std::stop_source ending = {};                                                // ends all workers of the session
  std::unique_ptr<std::stop_callback<std::function<void()>>> forwarding = {};  // of the caller's own stop
  std::vector<DeviceInfo> devices = {};
  Identity identity = {};
  std::vector<std::string> added_counters = {};
  std::unique_ptr<backend::CompilePool> pool = {};        // nullptr if the devices themselves compile
  std::unique_ptr<backend::PooledSource> compilers = {};  // the source of the pool's programs, for all devices
  std::optional<Recording> recording = {};
  std::vector<Site> sites = {};
};

namespace {

using Parts = TuningSession::Parts;

// Calls `work` for all sites at the same time. Returns the first Error in the order of the sites.
Result<void> at_once(const std::vector<Parts::Site>& sites, const std::function<Result<void>(std::size_t)>& work) {
  const std::launch how = sites.size() == 1 ? std::launch::deferred : std::launch::async;
  std::vector<std::future<Result<void>>> all;
  for (std::size_t i = 0; i < sites.size(); ++i) all.push_back(std::async(how, work, i));
  for (std::future<Result<void>>& one : all) WATTUNE_TRY(one.get());
  return {};
}

Result<void> check_together(const SessionOptions& options, const std::vector<DeviceInfo>& devices) {
  std::string models;
  const auto groups = by_model(devices);
  for (const auto& group : groups) models += (models.empty() ? "" : ", ") + describe(group);
  if (groups.size() > 1)
    return Error(ErrorCode::mismatch, "the devices are of different models: " + models).hint("tune each model apart");
  if (devices.size() > 1 && options.evaluation.where.in_process)
    return Error(ErrorCode::invalid_argument, "only one device can be tuned in this process").about(options.device);
  return {};
}

Result<void> open_devices(Parts& parts) {
  const SessionOptions& options = parts.task->options;
  WATTUNE_ASSIGN(parts.devices, find_devices_for(parts.task->spec, options.device, options.evaluation.where));
  WATTUNE_TRY(check_together(options, parts.devices));
  parts.sites.resize(parts.devices.size());
  WATTUNE_TRY(at_once(parts.sites, [&](std::size_t i) -> Result<void> {
    WATTUNE_ASSIGN(parts.sites[i].device, open_device(parts.devices[i].selector, options.evaluation.where));
    parts.devices[i] = parts.sites[i].device->info();
    return {};
  }));
  return use_language(parts.task->spec, parts.devices.front().languages);
}

// True if processes compile ahead. On a CPU, these processes would take cores from the kernels that are timed. So on a
// CPU they are used only if the user requests them.
bool compiles_ahead(const Parts& parts) {
  const bool asked_for = parts.task->options.compile_processes || parts.devices.front().kind != DeviceKind::cpu;
  return asked_for && compile_processes(parts.task->options) > 0;
}

// Replaces the text of a source by that of the default configuration, because the text decides for which target it is
// compiled.
Result<void> write_default(const SourceWriter& writer, const space::SearchSpace& space, KernelSource& source) {
  if (!writer.function) return {};
  Result<std::string> text = writer.function(space.configuration(space.default_configuration()));
  if (!text) return std::move(text).error().with_context("the source of the default configuration");
  source.text = *std::move(text);
  return {};
}

// Makes the compile pool, unless the device's own worker is to compile, or code cannot be compiled without the device.
Result<void> make_compilers(Parts& parts) {
  if (!compiles_ahead(parts)) return {};
  const SessionOptions& options = parts.task->options;
  KernelSource source = launched_source(parts.task->spec);
  WATTUNE_TRY(write_default(options.evaluation.writer, parts.task->space, source));
  Result<backend::CompileTarget> target = parts.sites.front().device->compile_target(source);
  if (!target && target.error().code() != ErrorCode::unavailable) return std::move(target).error();
  if (!target) {
    log_info("the device's worker compiles: {}", target.error().to_string());
    return {};
  }
  parts.pool =
      std::make_unique<backend::CompilePool>(backend::CompilePoolOptions{.processes = compile_processes(options),
                                                                         .worker = options.evaluation.where.worker,
                                                                         .cache = options.compile_cache});
  parts.compilers = std::make_unique<backend::PooledSource>(parts.pool->add(*std::move(target), std::move(source)));
  return {};
}

// Returns the counters to add if the strategy reads counters and would search at random without any counter.
std::vector<std::string> missing_counters(const Parts& parts) {
  const std::vector<std::string>& observed = parts.task->options.evaluation.counters;
  const auto is_observed = [&](const std::string& name) { return std::ranges::count(observed, name) > 0; };
  const search::StrategyInfo* const info = search::find_strategy(parts.task->plan.strategy);
  if (info == nullptr || !info->reads_counters || !parts.sites.front().device->counters()) return {};
  std::vector<std::string> counters = search::profiled_counters();
  if (std::ranges::any_of(counters, is_observed)) counters.clear();
  return counters;
}

Result<void> make_evaluators(Parts& parts) {
  parts.added_counters = missing_counters(parts);
  SessionOptions& options = parts.task->options;
  std::vector<std::string>& counters = options.evaluation.counters;
  counters.insert(counters.end(), parts.added_counters.begin(), parts.added_counters.end());
  options.evaluation.compilers = parts.compilers.get();
  return at_once(parts.sites, [&](std::size_t i) -> Result<void> {
    Parts::Site& site = parts.sites[i];
    site.policy = options.policy(options.sampling);
    EvaluatorOptions evaluation = options.evaluation;
    // A reference that takes longer than the search may take would leave no time to measure.
    if (!evaluation.limits.reference && !parts.task->spec.reference_seconds)
      evaluation.limits.reference = parts.task->plan.stop.time;
    if (i > 0) evaluation.on_slow_reference = nullptr;  // since the first evaluator reports for all
    auto evaluator = make_evaluator(parts.task->spec, parts.task->space, *site.device, *site.policy, evaluation);
    if (!evaluator && parts.sites.size() > 1)
      return std::move(evaluator).error().with_context(parts.devices[i].selector);
    WATTUNE_ASSIGN(site.evaluator, std::move(evaluator));
    return {};
  });
}

// True if candidates are compiled ahead and the strategy chooses among the compiled ones.
bool chooses_among_compiled(const Parts& parts) {
  const std::map<std::string, double>& parameters = parts.task->options.strategy_parameters;
  const auto features = parameters.find("features");
  return features != parameters.end() && features->second > 0.0;
}

// Returns how many proposals the strategy is asked for in advance: as many as the compilers can work on, unless the
// user gives a number.
std::size_t proposals_ahead(const Parts& parts) {
  const search::StrategyInfo* const info = search::find_strategy(parts.task->plan.strategy);
  const bool hurt = info != nullptr && info->hurt_by_asking_ahead;
  const std::size_t processes = compile_processes(parts.task->options);
  const bool alone = parts.compilers == nullptr || chooses_among_compiled(parts);
  const std::size_t standard = alone ? 1 : hurt ? processes + 1 : 4 * processes;
  return std::max<std::size_t>(1, parts.task->options.compile_ahead.value_or(standard));
}

std::vector<std::string> names_of_clocks(const KernelSpec& spec) {
  std::vector<std::string> names;
  for (const Parameter& parameter : spec.parameters)
    if (is_set_on_board(parameter.role)) names.push_back(parameter.name);
  return names;
}

// Returns how many proposals are requested from the strategy at once. A strategy that learns nothing may give many.
// These are then sorted so that clocks change seldom.
std::size_t batch_of(const Plan& plan, const KernelSpec& spec) {
  constexpr std::size_t kBatchWithoutLearning = 4096;
  const bool learns = plan.strategy != "exhaustive" && plan.strategy != "random";
  return learns || names_of_clocks(spec).empty() ? 1 : kBatchWithoutLearning;
}

void observe_for_method(Parts& parts) {
  std::vector<BoardMetric>& observed = parts.task->options.evaluation.observe;
  const bool is_method = search::find_method(parts.task->plan.strategy) != nullptr;
  if (is_method && std::ranges::count(observed, BoardMetric::energy) == 0) observed.push_back(BoardMetric::energy);
}

// Checks that an energy window fits into the time of the search. If not, the search would end without a measurement.
Result<void> check_energy_window(const Parts& parts) {
  const EvaluatorOptions& evaluation = parts.task->options.evaluation;
  const std::optional<Nanoseconds> time = parts.task->plan.stop.time;
  if (evaluation.observe.empty() || !time || *time >= evaluation.energy_window) return {};
  return Error(ErrorCode::invalid_argument,
               fmt::format("an energy window of {:g} s is longer than the {:g} s that the search may take",
                           to_seconds(evaluation.energy_window), to_seconds(*time)))
      .hint("give it more time, or take a shorter window");
}

// Opens the devices that were asked for, with their compilers and evaluators.
Result<void> open_sites(Parts& parts, const std::atomic<bool>* cancel) {
  const SessionOptions& options = parts.task->options;
  observe_for_method(parts);
  WATTUNE_TRY(check_energy_window(parts));
  parts.identity = measuring_identity(options.evaluation, *options.policy(options.sampling));
  WATTUNE_TRY(open_devices(parts));
  parts.task->architecture = parts.devices.front().architecture;
  if (cancel != nullptr && *cancel) return {};  // devices in this process have no worker that would end
  WATTUNE_TRY(make_compilers(parts));
  return make_evaluators(parts);
}

// Puts recorded results in the place of a device.
Result<void> open_replay(Parts& parts) {
  const std::string& name = parts.task->options.device;
  Replay& replay = *parts.task->options.replay;
  parts.identity = std::move(replay.identity);
  const auto matched = Recording::match(parts.task->space, std::move(replay.results));
  if (!matched) return Error(matched.error()).with_context(name);
  auto answers = matched->with_objectives(parts.task->spec);
  if (!answers) return std::move(answers).error().with_context(name);
  parts.recording = *std::move(answers);
  const DeviceInfo& device = parts.recording->info().device;
  parts.task->architecture = device.architecture;
  parts.devices = {replay_device(device, name)};
  parts.sites.emplace_back().evaluator = make_replay_evaluator(*parts.recording, ReplayClock::recorded);
  return {};
}

// Ends the workers of a session whose opening is cancelled. A thread looks at the flag as long as this object lives.
class OpeningWatch {
 public:
  OpeningWatch(const std::atomic<bool>* cancel, std::stop_source& ending) {
    if (cancel == nullptr) return;
    thread_ = std::jthread([cancel, &ending, this](const std::stop_token& over) {
      constexpr std::chrono::milliseconds kPeriod(20);
      std::unique_lock lock(mutex_);
      while (!over.stop_requested() && !*cancel) changed_.wait_for(lock, over, kPeriod, [] { return false; });
      if (*cancel) ending.request_stop();
    });
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread thread_;
};

// Lets the workers of the session end when the caller's stop is requested, or the session's own.
void join_stops(Parts& parts) {
  std::stop_token& stop = parts.task->options.evaluation.where.worker.stop;
  parts.forwarding = std::make_unique<std::stop_callback<std::function<void()>>>(
      stop, [ending = parts.ending]() mutable { ending.request_stop(); });
  stop = parts.ending.get_token();
}

class Forgetful : public TrialSink {
  Result<void> add(const Trial&) override { return {}; }
};

}  // namespace

std::size_t compile_processes(const SessionOptions& options) {
  constexpr std::uint64_t kMostDefaultProcesses = 16;
  const std::uint64_t cores = std::thread::hardware_concurrency();  // 0 if the number is unknown
  const std::uint64_t standard = cores <= 2 ? 1 : std::min(cores, kMostDefaultProcesses);
  return options.compile_processes.value_or(options.evaluation.where.in_process ? 0 : standard);
}

Result<std::unique_ptr<TuningSession>> open(KernelSpec spec, SessionOptions options, const std::atomic<bool>* cancel) {
  if (cancel != nullptr)
    options.building.cancelled = [cancel, also = options.building.cancelled] { return *cancel || (also && also()); };
  WATTUNE_ASSIGN(auto task, plan_search(std::move(spec), std::move(options)));
  return open(std::move(task), cancel);
}

Result<std::unique_ptr<TuningSession>> open(std::unique_ptr<TuningTask> task, const std::atomic<bool>* cancel) {
  if (!task->strategy) return std::move(task->strategy).error();
  auto parts = std::make_unique<Parts>(Parts{std::move(task)});
  join_stops(*parts);
  Result<void> opened;
  {
    const OpeningWatch watch(cancel, parts->ending);
    opened = parts->task->options.replay ? open_replay(*parts) : open_sites(*parts, cancel);
  }
  if (cancel != nullptr && *cancel) return Error(ErrorCode::cancelled, "the session was cancelled while it was opened");
  if (!opened) return std::move(opened).error();
  return std::make_unique<TuningSession>(std::move(parts));
}

TuningSession::TuningSession(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

TuningSession::~TuningSession() = default;

const KernelSpec& TuningSession::spec() const { return parts_->task->spec; }

const space::SearchSpace& TuningSession::space() const { return parts_->task->space; }

const Plan& TuningSession::plan() const { return parts_->task->plan; }

search::Strategy& TuningSession::strategy() const { return **parts_->task->strategy; }

const std::vector<DeviceInfo>& TuningSession::devices() const { return parts_->devices; }

const std::vector<std::string>& TuningSession::added_counters() const { return parts_->added_counters; }

const Recording* TuningSession::recording() const { return parts_->recording ? &*parts_->recording : nullptr; }

std::vector<Evaluator*> TuningSession::evaluators() const {
  std::vector<Evaluator*> all;
  for (const Parts::Site& site : parts_->sites) all.push_back(site.evaluator.get());
  return all;
}

// Describes the run. Recorded results were compared with a reference, if at all, when they were measured. So the
// identity's part `reference` is that of the recording.
RunInfo TuningSession::describe() const {
  RunInfo info = describe_run(spec(), space(), devices().front(), parts_->identity);
  for (const space::Predicate& predicate : parts_->task->options.predicates)
    info.constraints.push_back(predicate.description);
  if (recording() == nullptr || !std::holds_alternative<std::monostate>(spec().reference)) return info;
  info.identity.erase("reference");
  const Identity& recorded = recording()->info().identity;
  if (const auto part = recorded.find("reference"); part != recorded.end()) info.identity.insert(*part);
  return info;
}

Result<RunInfo> TuningSession::describe(const RunInfo& earlier) const {
  RunInfo info = describe();
  WATTUNE_TRY(adopt_former_reference(space(), *evaluators().front(), earlier, info));
  return info;
}

Result<TuningResult> TuningSession::run(TrialSink& sink, TuningObserver& observer, const std::vector<Trial>& resumed,
                                        const std::atomic<bool>* cancel, Nanoseconds spent) {
  TuningOptions tuning{.stop = plan().stop,
                       .ahead = proposals_ahead(*parts_),
                       .costly = names_of_clocks(spec()),
                       .batch = batch_of(plan(), spec()),
                       .cancel = cancel,
                       .shoot_out = parts_->task->options.shoot_out,
                       .spent = recording() == nullptr ? spent : Nanoseconds(),  // a replay's time is the recorded one
                       .slowdown = slowdown_of(spec().objectives)};
  tuning.shoot_out.warm_up = parts_->task->options.sampling.warm_up;
  return tune(space(), strategy(), evaluators(), sink, observer, resumed, tuning);
}

Result<TuningResult> TuningSession::run() {
  Forgetful sink;
  TuningObserver nobody;
  return run(sink, nobody);
}

}  // namespace wattune::tune
