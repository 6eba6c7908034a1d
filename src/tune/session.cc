#include "wattune/tune/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <thread>

#include "core/logging.h"
#include "search/interface/slowdown.h"
#include "space/interface/expression.h"
#include "tune/interface/block_shapes.h"
#include "tune/interface/describe_run.h"
#include "tune/interface/methods.h"
#include "wattune/backend/compile_pool.h"
#include "wattune/tune/search.h"

namespace wattune::inline v0_1::tune {

// The parts of a session, each of which is used by those after it.
struct TuningSession::Parts {
  // A device and what belongs to it; a replay has only an evaluator.
  struct Site {
    std::unique_ptr<backend::Device> device;
    std::unique_ptr<measure::MeasurePolicy> policy;
    std::unique_ptr<Evaluator> evaluator;
  };

  SessionOptions options;
  std::unique_ptr<TuningTask> search;
  std::vector<DeviceInfo> devices = {};
  Identity identity = {};
  std::vector<std::string> added_counters = {};
  std::unique_ptr<backend::CompilePool> pool = {};        // nullptr if the devices compile
  std::unique_ptr<backend::PooledSource> compilers = {};  // the pool's, for all devices
  std::optional<Recording> recording = {};
  std::vector<Site> sites = {};
};

namespace {

using Parts = TuningSession::Parts;

// Calls `work` for all sites at the same time; returns the first Error in their order.
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
  if (devices.size() > 1 && options.where.in_process)
    return Error(ErrorCode::invalid_argument, "only one device can be tuned in this process").about(options.device);
  return {};
}

Result<void> open_devices(Parts& parts) {
  const SessionOptions& options = parts.options;
  WATTUNE_ASSIGN(parts.devices, find_devices_for(parts.search->spec, options.device, options.where));
  WATTUNE_TRY(check_together(options, parts.devices));
  parts.sites.resize(parts.devices.size());
  WATTUNE_TRY(at_once(parts.sites, [&](std::size_t i) -> Result<void> {
    WATTUNE_ASSIGN(parts.sites[i].device, open_device(parts.devices[i].selector, options.where));
    parts.devices[i] = parts.sites[i].device->info();
    return {};
  }));
  return use_language(parts.search->spec, parts.devices.front().languages);
}

// True if processes compile ahead. On a processor they would share the cores with what is timed, so that they must be
// asked for.
bool compiles_ahead(const Parts& parts) {
  const bool asked_for = parts.options.compile_processes || parts.devices.front().kind != DeviceKind::cpu;
  return asked_for && compile_processes(parts.options) > 0;
}

// Makes the compile pool, unless the device's own worker is to compile, or nothing else can.
Result<void> make_compilers(Parts& parts) {
  if (!compiles_ahead(parts)) return {};
  KernelSource source = launched_source(parts.search->spec);
  Result<backend::CompileTarget> target = parts.sites.front().device->compile_target(source);
  if (!target && target.error().code() != ErrorCode::unavailable) return std::move(target).error();
  if (!target) {
    log_info("the device's worker compiles: {}", target.error().to_string());
    return {};
  }
  parts.pool =
      std::make_unique<backend::CompilePool>(backend::CompilePoolOptions{.processes = compile_processes(parts.options),
                                                                         .worker = parts.options.where.worker,
                                                                         .cache = parts.options.compile_cache});
  parts.compilers = std::make_unique<backend::PooledSource>(parts.pool->add(*std::move(target), std::move(source)));
  return {};
}

// Returns the counters to add for a strategy that reads counters and would search at random without any.
std::vector<std::string> missing_counters(const Parts& parts) {
  const std::vector<std::string>& observed = parts.options.evaluation.counters;
  const auto is_observed = [&](const std::string& name) { return std::ranges::count(observed, name) > 0; };
  const search::StrategyInfo* const info = search::find_strategy(parts.search->plan.strategy);
  if (info == nullptr || !info->reads_counters || !parts.sites.front().device->counters()) return {};
  std::vector<std::string> counters = search::profiled_counters();
  if (std::ranges::any_of(counters, is_observed)) counters.clear();
  return counters;
}

EvaluatorOptions evaluator_options(const Parts& parts) {
  EvaluatorOptions evaluation = parts.options.evaluation;
  evaluation.counters.insert(evaluation.counters.end(), parts.added_counters.begin(), parts.added_counters.end());
  evaluation.compilers = parts.compilers.get();
  evaluation.reference_worker = parts.options.where.worker;
  return evaluation;
}

Result<void> make_evaluators(Parts& parts) {
  parts.added_counters = missing_counters(parts);
  return at_once(parts.sites, [&](std::size_t i) -> Result<void> {
    Parts::Site& site = parts.sites[i];
    site.policy = parts.options.policy(parts.options.sampling);
    EvaluatorOptions evaluation = evaluator_options(parts);
    if (i > 0) evaluation.on_slow_reference = nullptr;  // one says it for all
    auto evaluator = make_evaluator(parts.search->spec, parts.search->space, *site.device, *site.policy, evaluation);
    if (!evaluator && parts.sites.size() > 1)
      return std::move(evaluator).error().with_context(parts.devices[i].selector);
    WATTUNE_ASSIGN(site.evaluator, std::move(evaluator));
    return {};
  });
}

// True if compilers work ahead on candidates among which the strategy chooses.
bool chooses_among_compiled(const Parts& parts) {
  const auto features = parts.options.strategy_parameters.find("features");
  return features != parts.options.strategy_parameters.end() && features->second > 0.0;
}

// Returns how many proposals are asked for ahead: as many as the compilers can work on, unless the user says how many.
std::size_t proposals_ahead(const Parts& parts) {
  const search::StrategyInfo* const info = search::find_strategy(parts.search->plan.strategy);
  const bool hurt = info != nullptr && info->hurt_by_asking_ahead;
  const std::size_t processes = compile_processes(parts.options);
  const bool alone = parts.compilers == nullptr || chooses_among_compiled(parts);
  const std::size_t standard = alone ? 1 : hurt ? processes + 1 : 4 * processes;
  return std::max<std::size_t>(1, parts.options.compile_ahead.value_or(standard));
}

std::vector<std::string> names_of_clocks(const KernelSpec& spec) {
  std::vector<std::string> names;
  for (const Parameter& parameter : spec.parameters)
    if (is_set_on_board(parameter.role)) names.push_back(parameter.name);
  return names;
}

// Returns how many proposals are asked for at once. A strategy that learns nothing may be asked for many, so that their
// clocks are changed seldom.
std::size_t batch_of(const Plan& plan, const KernelSpec& spec) {
  constexpr std::size_t kMany = 4096;
  const bool learns = plan.strategy != "exhaustive" && plan.strategy != "random";
  return learns || names_of_clocks(spec).empty() ? 1 : kMany;
}

// Plans a method. Only the user's own rules stop a method before its last step.
Result<std::unique_ptr<TuningTask>> plan_method(KernelSpec spec, space::SearchSpace space,
                                                const SessionOptions& options) {
  if (!options.strategy.empty())
    return Error(ErrorCode::invalid_argument, "a method takes the place of a strategy").about(options.strategy);
  Plan plan = make_plan(spec, space, options.method, options.stop);
  if (plan.limit == Plan::Limit::standard) plan = {.strategy = options.method, .stop = {}};
  auto search = std::make_unique<TuningTask>(TuningTask{std::move(spec), std::move(space), std::move(plan)});
  search::MethodOptions method = options.method_options;
  if (!method.window) method.window = steered_window;
  method.seed = options.seed;
  method.start = search->space.default_configuration();
  method.evaluations = search->plan.stop.evaluations_left({.space_size = search->space.count()});
  method.time = search->plan.stop.time;
  method.constraints = search->spec.constraints;
  method.shapes = block_shapes(search->spec, search->space, {});
  WATTUNE_ASSIGN(search->strategy, search::make_method(options.method, search->space, method));
  search->method_options = std::move(method);
  search->spec.objectives = search::find_method(options.method)->objectives;
  if (search::find_method(options.method)->within_slowdown)
    search->spec.objectives.front().slowdown = options.method_options.slowdown;
  return search;
}

// Checks that a slowdown goes with one objective. With several, the Pareto front shows what each slowdown saves.
Result<void> check_slowdown(const std::vector<Objective>& objectives) {
  if (!slowdown_of(objectives)) return {};
  if (objectives.size() > 1)
    return Error(ErrorCode::invalid_argument, "a slowdown goes with one objective")
        .about(fmt::format("{}, {}", objectives[0].metric, objectives[1].metric))
        .hint("leave out the others, or the slowdown: a Pareto front of time and energy has every slowdown in it");
  if (objectives.front().metric != "time") return {};
  return Error(ErrorCode::invalid_argument, "a slowdown bounds the time of what is searched for, which is the time")
      .hint("name another objective, such as energy");
}

// Makes the strategy; the planned search outlives it.
Result<std::unique_ptr<search::Strategy>> strategy_for(const TuningTask& search, const SessionOptions& options) {
  const auto make = [&space = search.space, name = search.plan.strategy,
                     made = search::StrategyOptions{.seed = options.seed,
                                                    .start = search.space.default_configuration(),
                                                    .objectives = search.spec.objectives,
                                                    .prior = options.prior,
                                                    .parameters = options.strategy_parameters}] {
    return search::make_strategy(name, space, made);
  };
  const std::optional<double> slowdown = slowdown_of(search.spec.objectives);
  return slowdown ? search::make_strategy_within(*slowdown, search.space, make) : make();
}

void observe_for_method(Parts& parts) {
  std::vector<BoardMetric>& observed = parts.options.evaluation.observe;
  const bool is_method = search::find_method(parts.search->plan.strategy) != nullptr;
  if (is_method && std::ranges::count(observed, BoardMetric::energy) == 0) observed.push_back(BoardMetric::energy);
}

// Checks that the time of the search has room for an energy window; otherwise the search would end without a
// measurement.
Result<void> check_energy_window(const Parts& parts) {
  const EvaluatorOptions& evaluation = parts.options.evaluation;
  const std::optional<Nanoseconds> time = parts.search->plan.stop.time;
  if (evaluation.observe.empty() || !time || *time >= evaluation.energy_window) return {};
  return Error(ErrorCode::invalid_argument,
               fmt::format("an energy window of {:g} s is longer than the {:g} s that the search may take",
                           to_seconds(evaluation.energy_window), to_seconds(*time)))
      .hint("give it more time, or take a shorter window");
}

// Makes a walk over block shapes anew, because the board decides which shapes are worth a run, and in which order.
Result<void> know_board(TuningTask& search, const std::string& architecture) {
  const search::MethodInfo* const method = search::find_method(search.plan.strategy);
  if (method == nullptr || !method->walks_shapes || architecture.empty()) return {};
  search.method_options.shapes = block_shapes(search.spec, search.space, architecture);
  WATTUNE_ASSIGN(search.strategy, search::make_method(method->name, search.space, search.method_options));
  return {};
}

class Forgetful : public TrialSink {
  Result<void> add(const Trial&) override { return {}; }
};

}  // namespace

std::size_t compile_processes(const SessionOptions& options) {
  constexpr std::uint64_t kMost = 16;
  const std::uint64_t cores = std::thread::hardware_concurrency();  // 0 if unknown
  const std::uint64_t standard = cores <= 2 ? 1 : std::min(cores, kMost);
  return options.compile_processes.value_or(options.where.in_process ? 0 : standard);
}

Result<std::unique_ptr<TuningTask>> plan_search(KernelSpec spec, space::SearchSpace space,
                                                const SessionOptions& options) {
  WATTUNE_TRY(options.stop.validate());
  WATTUNE_TRY(options.sampling.validate());
  WATTUNE_TRY(check_slowdown(spec.objectives));
  if (!options.method.empty()) return plan_method(std::move(spec), std::move(space), options);
  Plan plan = make_plan(spec, space, options.strategy, options.stop);
  auto search = std::make_unique<TuningTask>(TuningTask{std::move(spec), std::move(space), std::move(plan)});
  WATTUNE_ASSIGN(search->strategy, strategy_for(*search, options));
  return search;
}

Result<std::vector<search::PriorObjective>> prior_from(ResultSet results, const KernelSpec& spec,
                                                       const space::SearchSpace& space) {
  WATTUNE_ASSIGN(const Recording recording, Recording::match(space, std::move(results)));
  // The time needs no metric; metrics of the spec may read what the results lack.
  const bool needs_metrics = custom_objective(spec).has_value();
  WATTUNE_ASSIGN(const Recording with_objectives,
                 recording.with_objectives(needs_metrics ? spec : KernelSpec{.parameters = spec.parameters}));
  std::vector<search::PriorObjective> prior = prior_of(with_objectives);
  if (!prior.empty()) return prior;
  return Error(ErrorCode::invalid_argument, "nothing to start from: no recorded configuration is correct");
}

Result<KernelSpec> without_clocks(KernelSpec spec) {
  const std::vector<std::string> clocks = names_of_clocks(spec);
  const auto is_clock = [&](const std::string& name) { return std::ranges::count(clocks, name) > 0; };
  std::erase_if(spec.parameters, [&](const Parameter& parameter) { return is_clock(parameter.name); });
  if (spec.parameters.empty() && !clocks.empty())
    return Error(ErrorCode::invalid_argument, "all parameters are clocks or limits, so that none is left to tune");
  std::erase_if(spec.constraints, [&](const Constraint& constraint) {
    // A constraint that cannot be parsed stays, so that its error is told.
    const auto parsed = space::Expression::parse(constraint.expression);
    return parsed && std::ranges::any_of(parsed->names(), is_clock);
  });
  return spec;
}

Result<std::unique_ptr<TuningSession>> open(KernelSpec spec, const SessionOptions& options) {
  if (options.clocks == Clocks::current) {
    WATTUNE_ASSIGN(spec, without_clocks(std::move(spec)));
  }
  WATTUNE_ASSIGN(space::SearchSpace space, space::SearchSpace::build(spec.parameters, spec.constraints));
  WATTUNE_ASSIGN(auto search, plan_search(std::move(spec), std::move(space), options));
  return open(std::move(search), options);
}

Result<std::unique_ptr<TuningSession>> open(std::unique_ptr<TuningTask> search, const SessionOptions& options) {
  auto parts = std::make_unique<Parts>(Parts{options, std::move(search)});
  observe_for_method(*parts);
  WATTUNE_TRY(check_energy_window(*parts));
  parts->identity = measuring_identity(parts->options.evaluation, *options.policy(options.sampling));
  WATTUNE_TRY(open_devices(*parts));
  WATTUNE_TRY(know_board(*parts->search, parts->devices.front().architecture));
  WATTUNE_TRY(make_compilers(*parts));
  WATTUNE_TRY(make_evaluators(*parts));
  return std::make_unique<TuningSession>(std::move(parts));
}

Result<std::unique_ptr<TuningSession>> open_recording(std::unique_ptr<TuningTask> search, ResultSet recorded,
                                                      Identity recording, const SessionOptions& options) {
  auto parts = std::make_unique<Parts>(Parts{options, std::move(search)});
  parts->identity = std::move(recording);
  const auto matched = Recording::match(parts->search->space, std::move(recorded));
  if (!matched) return Error(matched.error()).with_context(options.device);
  auto answers = matched->with_objectives(parts->search->spec);
  if (!answers) return std::move(answers).error().with_context(options.device);
  parts->recording = *std::move(answers);
  WATTUNE_TRY(know_board(*parts->search, parts->recording->info().device.architecture));
  parts->devices = {replay_device(parts->recording->info().device, options.device)};
  parts->sites.emplace_back().evaluator = make_replay_evaluator(*parts->recording, ReplayClock::recorded);
  return std::make_unique<TuningSession>(std::move(parts));
}

TuningSession::TuningSession(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

TuningSession::~TuningSession() = default;

const KernelSpec& TuningSession::spec() const { return parts_->search->spec; }

const space::SearchSpace& TuningSession::space() const { return parts_->search->space; }

const Plan& TuningSession::plan() const { return parts_->search->plan; }

search::Strategy& TuningSession::strategy() const { return *parts_->search->strategy; }

const std::vector<DeviceInfo>& TuningSession::devices() const { return parts_->devices; }

const std::vector<std::string>& TuningSession::added_counters() const { return parts_->added_counters; }

const Recording* TuningSession::recording() const { return parts_->recording ? &*parts_->recording : nullptr; }

std::vector<Evaluator*> TuningSession::evaluators() const {
  std::vector<Evaluator*> all;
  for (const Parts::Site& site : parts_->sites) all.push_back(site.evaluator.get());
  return all;
}

// Describes the run. Recorded results were compared when they were measured, if at all.
RunInfo TuningSession::describe() const {
  RunInfo info = describe_run(spec(), space(), devices().front(), parts_->identity);
  if (recording() == nullptr || !std::holds_alternative<std::monostate>(spec().reference)) return info;
  info.identity.erase("reference");
  const Identity& recorded = recording()->info().identity;
  if (const auto part = recorded.find("reference"); part != recorded.end()) info.identity.insert(*part);
  return info;
}

Result<TuningResult> TuningSession::run(TrialSink& sink, TuningObserver& observer, const std::vector<Trial>& resumed,
                                        const std::atomic<bool>* cancel, Nanoseconds spent) {
  TuningOptions tuning{.stop = plan().stop,
                       .ahead = proposals_ahead(*parts_),
                       .costly = names_of_clocks(spec()),
                       .batch = batch_of(plan(), spec()),
                       .cancel = cancel,
                       .shoot_out = parts_->options.shoot_out,
                       .spent = recording() == nullptr ? spent : Nanoseconds(),  // a replay's time is the recorded one
                       .slowdown = slowdown_of(spec().objectives)};
  tuning.shoot_out.warm_up = parts_->options.sampling.warm_up;
  return tune(space(), strategy(), evaluators(), sink, observer, resumed, tuning);
}

Result<TuningResult> TuningSession::run() {
  Forgetful sink;
  TuningObserver nobody;
  return run(sink, nobody);
}

}  // namespace wattune::tune
