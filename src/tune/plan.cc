#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "search/interface/slowdown.h"
#include "space/interface/expression.h"
#include "tune/interface/block_shapes.h"
#include "tune/interface/methods.h"
#include "wattune/tune/advise.h"
#include "wattune/tune/session.h"

namespace wattune::inline v0_1::tune {

namespace {

// largest space that is searched completely by default
constexpr std::uint64_t kLargestExhaustiveSpace = 200;
constexpr double kDefaultMinutes = 5.0;

using Priors = std::vector<std::vector<search::PriorObjective>>;

bool has_rule(const search::StopRule& stop) {
  return stop.evaluations || stop.time || stop.target || stop.fraction || stop.no_improvement;
}

search::StopRule from_budget(const Budget& budget) {
  search::StopRule stop{.evaluations = budget.evaluations, .fraction = budget.fraction};
  if (budget.seconds) stop.time = nanoseconds_from_seconds(*budget.seconds);
  return stop;
}

// True if the rules allow that every configuration is measured. The result is false with a limit of time. Such a limit
// may end the search early, and a search in the order of ids would have seen only the first ids.
bool allows_everything(const search::StopRule& stop, Uint128 count) {
  if (stop.time) return false;
  search::Progress nothing_done;
  nothing_done.space_size = count;
  const auto evaluations = stop.evaluations_left(nothing_done);
  return evaluations ? *evaluations >= count : count <= kLargestExhaustiveSpace;
}

// Plans a search by a strategy, or by a method. Only rules that the user gives stop a method before its last step.
Plan plan_of(const KernelSpec& spec, const space::SearchSpace& space, const SessionOptions& options) {
  if (options.method.empty()) return make_plan(spec, space, options.strategy, options.stop);
  Plan plan = make_plan(spec, space, options.method, options.stop);
  if (plan.limit == Plan::Limit::standard) plan = {.strategy = options.method, .stop = {}};
  return plan;
}

// Makes a method, and gives the spec the method's objectives.
Result<std::unique_ptr<search::Strategy>> method_for(TuningTask& task) {
  const SessionOptions& options = task.options;
  if (!options.strategy.empty())
    return Error(ErrorCode::invalid_argument, "a method takes the place of a strategy").about(options.strategy);
  search::MethodOptions method = options.method_options;
  if (!method.window) method.window = steered_window;
  const search::MethodInfo* const wanted = search::find_method(options.method);
  if (wanted != nullptr && wanted->follows_advice && !method.advised_clock && !options.others.empty()) {
    WATTUNE_ASSIGN(method.advised_clock, advised_clock(graphics_clocks(task.space.parameters()), options.others));
  }
  method.seed = options.seed;
  method.start = task.space.default_configuration();
  method.evaluations = task.plan.stop.evaluations_left({.space_size = task.space.count()});
  method.time = task.plan.stop.time;
  method.constraints = task.spec.constraints;
  method.predicates = options.predicates;
  method.shapes = shapes_to_walk(task.spec, task.space, task.architecture);
  WATTUNE_ASSIGN(auto made, search::make_method(options.method, task.space, method));
  const search::MethodInfo& info = *search::find_method(options.method);
  task.spec.objectives = info.objectives;
  if (info.within_slowdown) task.spec.objectives.front().slowdown = method.slowdown;
  return made;
}

// Checks that a slowdown is given only with a single objective. With several objectives, the Pareto front shows what
// each slowdown saves.
Result<void> check_slowdown(const std::vector<Objective>& objectives) {
  if (!slowdown_of(objectives)) return {};
  if (objectives.size() > 1)
    return Error(ErrorCode::invalid_argument, "a slowdown goes with one objective")
        .about(fmt::format("{}, {}", objectives[0].metric, objectives[1].metric))
        .hint("leave out the others, or the slowdown: a Pareto front of time and energy has every slowdown in it");
  if (objectives.front().metric != "time") return {};
  return Error(ErrorCode::invalid_argument,
               "a slowdown limits the time while another objective is searched for, but the objective is the time")
      .hint("name another objective, such as energy");
}

// Makes the strategy of a task. The task must outlive the strategy.
Result<std::unique_ptr<search::Strategy>> strategy_for(TuningTask& task, Priors prior) {
  WATTUNE_TRY(check_slowdown(task.spec.objectives));
  if (!task.options.method.empty()) return method_for(task);
  const auto make = [&space = task.space, name = task.plan.strategy,
                     made = search::StrategyOptions{.seed = task.options.seed,
                                                    .start = task.space.default_configuration(),
                                                    .objectives = task.spec.objectives,
                                                    .prior = std::move(prior),
                                                    .parameters = task.options.strategy_parameters}] {
    return search::make_strategy(name, space, made);
  };
  const std::optional<double> slowdown = slowdown_of(task.spec.objectives);
  return slowdown ? search::make_strategy_within(*slowdown, task.space, make) : make();
}

bool reads_clocks(const space::Predicate& predicate, const std::vector<Parameter>& parameters) {
  return std::ranges::any_of(parameters, [&](const Parameter& parameter) {
    return is_set_on_board(parameter.role) && std::ranges::count(predicate.names, parameter.name) > 0;
  });
}

// Builds the space. If a replay has no spec, the space has the recorded configurations, and the spec gets their
// parameters.
Result<space::SearchSpace> space_for(KernelSpec& spec, const SessionOptions& options) {
  if (options.replay && spec.file.empty() && spec.parameters.empty()) {
    spec.parameters = options.replay->results.info.parameters;
    return recorded_space(options.replay->results);
  }
  auto space = space::SearchSpace::build(spec.parameters, spec.constraints, options.predicates, options.building);
  if (!space) return std::move(space).error().at({spec.file.string()});
  return space;
}

// Returns the prior that is made from the results of an earlier run.
Result<std::vector<search::PriorObjective>> prior_from(ResultSet results, const KernelSpec& spec,
                                                       const space::SearchSpace& space) {
  WATTUNE_ASSIGN(const Recording recording, Recording::match(space, std::move(results)));
  // If the time is the objective, metrics are not needed, and the metrics of the spec might read values that are not in
  // the results.
  const bool needs_metrics = custom_objective(spec).has_value();
  WATTUNE_ASSIGN(const Recording with_objectives,
                 recording.with_objectives(needs_metrics ? spec : KernelSpec{.parameters = spec.parameters}));
  std::vector<search::PriorObjective> prior = prior_of(with_objectives);
  if (!prior.empty()) return prior;
  return Error(ErrorCode::invalid_argument, "nothing to start from: no recorded configuration is correct");
}

}  // namespace

Plan make_plan(const KernelSpec& spec, const space::SearchSpace& space, const std::string& strategy,
               const search::StopRule& wanted) {
  Plan plan{.strategy = strategy.empty() ? spec.strategy : strategy, .stop = wanted};
  if (has_rule(plan.stop)) {
    plan.limit = Plan::Limit::user;
  } else if (plan.stop = from_budget(spec.budget); has_rule(plan.stop)) {
    plan.limit = Plan::Limit::spec;
  }
  if (plan.strategy.empty())
    plan.strategy = allows_everything(plan.stop, space.count()) && space.exact() ? "exhaustive" : "auto";
  if (plan.limit == Plan::Limit::none && plan.strategy != "exhaustive" && space.count() > kLargestExhaustiveSpace) {
    plan.stop.time = nanoseconds_from_seconds(60.0 * kDefaultMinutes);
    plan.limit = Plan::Limit::standard;
  }
  return plan;
}

Result<std::vector<std::vector<search::PriorObjective>>> priors_from(std::vector<EarlierResults> earlier,
                                                                     const KernelSpec& spec,
                                                                     const space::SearchSpace& space) {
  Priors priors;
  for (EarlierResults& each : earlier) {
    auto prior = prior_from(std::move(each.results), spec, space);
    if (!prior && !each.name.empty()) return std::move(prior).error().with_context(each.name);
    WATTUNE_ASSIGN(priors.emplace_back(), std::move(prior));
  }
  return priors;
}

Result<KernelSpec> without_clocks(KernelSpec spec) {
  std::vector<std::string> clocks;
  for (const Parameter& parameter : spec.parameters)
    if (is_set_on_board(parameter.role)) clocks.push_back(parameter.name);
  const auto is_clock = [&](const std::string& name) { return std::ranges::count(clocks, name) > 0; };
  std::erase_if(spec.parameters, [&](const Parameter& parameter) { return is_clock(parameter.name); });
  if (spec.parameters.empty() && !clocks.empty())
    return Error(ErrorCode::invalid_argument, "all parameters are clocks or limits, so that none is left to tune");
  std::erase_if(spec.constraints, [&](const Constraint& constraint) {
    // A constraint that cannot be parsed is kept, so that its error is reported later.
    const auto parsed = space::Expression::parse(constraint.expression);
    return parsed && std::ranges::any_of(parsed->names(), is_clock);
  });
  return spec;
}

Result<std::unique_ptr<TuningTask>> plan_search(KernelSpec spec, SessionOptions options) {
  WATTUNE_TRY(options.stop.validate());
  WATTUNE_TRY(options.sampling.validate());
  if (options.clocks == Clocks::current) {
    std::erase_if(options.predicates,
                  [&](const space::Predicate& each) { return reads_clocks(each, spec.parameters); });
    WATTUNE_ASSIGN(spec, without_clocks(std::move(spec)));
  }
  WATTUNE_ASSIGN(space::SearchSpace space, space_for(spec, options));
  WATTUNE_ASSIGN(auto priors, priors_from(std::exchange(options.earlier, {}), spec, space));
  Plan plan = plan_of(spec, space, options);
  auto task =
      std::make_unique<TuningTask>(TuningTask{std::move(spec), std::move(space), std::move(plan), std::move(options)});
  task->strategy = strategy_for(*task, std::move(priors));
  return task;
}

}  // namespace wattune::tune
