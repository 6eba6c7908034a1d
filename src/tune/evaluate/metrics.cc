#include "tune/evaluate/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "core/interface/energy.h"
#include "core/interface/suggest.h"
#include "tune/evaluate/resources.h"
#include "tune/interface/standard_metrics.h"
#include "wattune/tune/evaluator.h"

namespace wattune::inline v0_1::tune {

namespace {

constexpr const char* kTime = "time";

Error name_is_taken(const MetricDefinition& metric) {
  return Error(ErrorCode::invalid_argument, "a metric needs a name of its own")
      .at(metric.expression.position)
      .about(metric.name)
      .hint(
          "parameters, extents of the problem, `time` and what a kernel takes, such as `registers`, have these names");
}

// Returns the error for an objective whose name is not among these names. The error suggests the nearest of these names
// and of the metrics that every spec has.
Error no_metric(const std::string& objective, const std::vector<std::string>& names) {
  std::vector<std::string> candidates = names;
  candidates.insert(candidates.end(), figure_names().begin(), figure_names().end());
  const std::string nearest = suggest(objective, candidates);
  return Error(ErrorCode::not_found, "the objective is no metric")
      .about(objective)
      .hint(nearest.empty() ? suggest(objective, names) : nearest);
}

bool is_of_board(const std::string& name) {
  return std::ranges::any_of(kAllBoardMetrics, [&](BoardMetric metric) { return name == to_string(metric); });
}

// Returns the kind of configurations against which a single objective is raced. With a slowdown, operations per joule
// are not raced, because the operations of a run may differ between configurations.
EnergyRivals rivals_of_one(const Objective& objective) {
  const bool smaller_is_better =
      !objective.maximize && (objective.metric == "energy" || objective.metric == "edp" || objective.metric == "ed2p");
  if (objective.slowdown) return smaller_is_better ? EnergyRivals::front : EnergyRivals::none;
  const bool races = smaller_is_better || objective == Objective{"operations_per_joule", true};
  return races ? EnergyRivals::best : EnergyRivals::none;
}

// Returns the kind of configurations against which the spec's objectives are raced. There are none if an objective
// besides time and energy may make another configuration interesting.
EnergyRivals rivals_for(const KernelSpec& spec, const std::vector<std::string>& observed) {
  const std::vector<Objective>& wanted = spec.objectives;
  const auto is_defined = [&](const Objective& objective) {
    return std::ranges::count(spec.metrics, objective.metric, &MetricDefinition::name) > 0;
  };
  if (std::ranges::count(observed, "energy") == 0 || std::ranges::any_of(wanted, is_defined)) return EnergyRivals::none;
  if (wanted.size() == 1) return rivals_of_one(wanted.front());
  const bool both = wanted.size() == 2 && std::ranges::count(wanted, Objective{"energy", false}) == 1 &&
                    std::ranges::count(wanted, Objective{kTime, false}) == 1;
  return both ? EnergyRivals::front : EnergyRivals::none;
}

Result<double> finite_number(const std::string& name, const Value& value) {
  if (value.is_number() && std::isfinite(value.as_real())) return value.as_real();
  return Error(ErrorCode::invalid_argument, fmt::format("metric `{}` is no finite number", name))
      .about(value.to_string());
}

// Metrics from which standard metrics are computed, each with a text that states where the metric comes from.
constexpr std::pair<std::string_view, const char*> kParts[] = {
    {"energy", "observing energy measures it"}, {"operations", "a metric `operations` says how many a run makes"}};

// Returns the metrics of the spec, then the standard metrics that are its objectives, unless the spec defines or
// observes them.
Result<std::vector<MetricDefinition>> definitions(const KernelSpec& spec, const std::vector<std::string>& observed) {
  std::vector<MetricDefinition> all = spec.metrics;
  const auto is_known = [&](std::string_view name) {
    return std::ranges::count(observed, name) > 0 || std::ranges::count(all, name, &MetricDefinition::name) > 0;
  };
  for (const Objective& objective : spec.objectives) {
    const StandardMetric* const standard = find_standard_metric(objective.metric);
    if (standard == nullptr || is_known(objective.metric)) continue;
    for (const auto& [part, origin] : kParts)
      if (standard->expression.find(part) != std::string_view::npos && !is_known(part))
        return Error(ErrorCode::not_found, fmt::format("the objective reads `{}`, which is not a metric", part))
            .about(objective.metric)
            .hint(origin);
    all.push_back({objective.metric, {std::string(standard->expression), {}}});
  }
  return all;
}

// Returns the unit of a standard metric, unless the spec has defined that metric itself. Returns an empty text for
// other metrics.
std::string unit_of(const MetricDefinition& metric) {
  const StandardMetric* const standard = find_standard_metric(metric.name);
  const bool is_standard = standard != nullptr && metric.expression.text == standard->expression;
  return is_standard ? std::string(standard->unit) : std::string();
}

}  // namespace

bool is_measured(std::string_view metric) {
  return metric == kTime || std::ranges::find(resource_names(), metric) != resource_names().end();
}

std::optional<Objective> custom_objective(const KernelSpec& spec) {
  if (spec.objectives.empty() || spec.objectives.front() == Objective{kTime, false}) return std::nullopt;
  return spec.objectives.front();
}

Result<Metrics> Metrics::compile(const KernelSpec& spec, const std::vector<Parameter>& parameters,
                                 const std::vector<std::string>& observed) {
  Metrics metrics;
  // Expressions read the time and metrics like parameters, by names whose values change with the configuration.
  std::vector<Parameter> readable = parameters;
  std::vector<std::string> names = resource_names();
  names.emplace_back(kTime);
  if (!spec.metrics.empty() || custom_objective(spec)) WATTUNE_TRY(check_figure_names(parameters));
  std::set<std::string> from_energy;  // metrics computed from readings of the board's sensors
  for (const std::string& name : observed) {
    if (std::ranges::count(parameters, name, &Parameter::name) > 0)
      return Error(ErrorCode::invalid_argument, "a parameter has the name of an observed metric").about(name);
    names.push_back(name);
    if (is_of_board(name)) from_energy.insert(name);
  }
  for (const std::string& name : names) readable.push_back({name, {}, {}, {}});
  WATTUNE_ASSIGN(const std::vector<MetricDefinition> defined, definitions(spec, observed));
  for (const MetricDefinition& metric : defined) {
    const auto known = std::make_shared<const Names>(Names(spec.problem_size, readable).with_suggested(figure_names()));
    if (known->is_parameter(metric.name) || known->constant(metric.name) != nullptr) return name_is_taken(metric);
    WATTUNE_ASSIGN(Formula<Value> formula, Formula<Value>::compile(metric.expression, known));
    const auto& read = formula.expression().names();
    if (std::ranges::any_of(read, [&](const std::string& name) { return from_energy.contains(name); }))
      from_energy.insert(metric.name);
    metrics.metrics_.push_back({metric.name, std::move(formula), unit_of(metric)});
    readable.push_back({metric.name, {}, {}, {}});
    names.push_back(metric.name);
  }
  for (const Objective& objective : spec.objectives) {
    if (std::find(names.begin(), names.end(), objective.metric) != names.end()) continue;
    return no_metric(objective.metric, names);
  }
  metrics.objective_ = custom_objective(spec);
  metrics.objective_needs_energy_ = metrics.objective_ && from_energy.contains(metrics.objective_->metric);
  metrics.energy_rivals_ = rivals_for(spec, observed);
  return metrics;
}

// Computes the metrics. The result holds the known metrics and, behind these, the computed metrics.
Metrics::Computed Metrics::compute(std::vector<Metric> known, Nanoseconds time,
                                   const Configuration& configuration) const {
  known.push_back({kTime, to_seconds(time), "s"});
  Computed computed{std::move(known), {}};
  for (const Compiled& metric : metrics_) {
    const Configuration values = with_metrics(configuration, computed.known);
    if (!metric.formula.has_all_values(values)) continue;
    const Result<Value> result = metric.formula.evaluate(values);
    const Result<double> value = result ? finite_number(metric.name, *result) : result.error();
    if (value) {
      const auto uncertainty = propagated(metric, computed.known, configuration);
      computed.known.push_back({metric.name, *value, metric.unit, uncertainty});
    } else {
      computed.refusals += fmt::format("{}`{}` has no value: {}", computed.refusals.empty() ? "" : "; ", metric.name,
                                       one_line(value.error().to_string()));
    }
  }
  return computed;
}

std::optional<double> Metrics::propagated(const Compiled& metric, std::vector<Metric> known,
                                          const Configuration& configuration) {
  const std::vector<std::string>& read = metric.formula.expression().names();
  std::optional<double> sum;
  for (Metric& input : known) {
    if (!input.uncertainty || std::ranges::count(read, input.name) == 0) continue;
    const double middle = input.value;
    std::array<double, 2> ends{};
    for (const std::size_t end : {0, 1}) {
      input.value = middle + (end == 0 ? -1.0 : 1.0) * *input.uncertainty;
      const Result<Value> result = metric.formula.evaluate(with_metrics(configuration, known));
      const Result<double> number = result ? finite_number(metric.name, *result) : result.error();
      if (!number) return std::nullopt;
      ends[end] = *number;
    }
    input.value = middle;
    sum = sum.value_or(0.0) + std::abs(ends[1] - ends[0]) / 2.0;
  }
  return sum;
}

Result<Metric> Metrics::objective_in(const Computed& computed) const {
  const auto found = std::ranges::find(computed.known, objective_->metric, &Metric::name);
  if (found == computed.known.end() && !computed.refusals.empty())
    return Error(ErrorCode::invalid_argument, computed.refusals);
  if (found == computed.known.end())
    return Error(ErrorCode::unavailable, "the device does not report a metric that the objective needs")
        .about(objective_->metric);
  Metric metric = *found;
  if (objective_->maximize) metric.value = -metric.value;
  return metric;
}

Result<void> Metrics::add_to(Observation& observation, const Configuration& configuration) const {
  if (metrics_.empty() && !objective_) return {};
  const std::size_t measured = observation.metrics.size();
  const Computed computed = compute(observation.metrics, observation.statistics->median, configuration);
  const auto added = computed.known.begin() + static_cast<std::ptrdiff_t>(measured) + 1;  // behind the time
  observation.metrics.insert(observation.metrics.end(), added, computed.known.end());
  observation.lacking = computed.refusals;
  if (!objective_) return {};
  const auto least = std::ranges::find(computed.known, kLeastEnergy, &Metric::name);
  const bool by_least = least != computed.known.end() && objective_needs_energy_;
  const Result<Metric> value =
      by_least ? objective_metric({{"energy", least->value, "J"}}, observation.statistics->median, configuration)
               : objective_in(computed);
  if (!value && value.error().code() == ErrorCode::unavailable) return value.error();
  observation.objective_value = value ? value->value : std::numeric_limits<double>::infinity();
  return {};
}

double Metrics::worst_objective(const Observation& observation) const {
  const auto found = std::ranges::find(observation.metrics, objective_->metric, &Metric::name);
  const bool uncertain = found != observation.metrics.end() && found->uncertainty;
  return observation.objective() + (uncertain ? *found->uncertainty : 0.0);
}

Result<double> Metrics::objective(const std::vector<Metric>& measured, Nanoseconds time,
                                  const Configuration& configuration) const {
  WATTUNE_ASSIGN(const Metric metric, objective_metric(measured, time, configuration));
  return metric.value;
}

Result<Metric> Metrics::objective_metric(const std::vector<Metric>& measured, Nanoseconds time,
                                         const Configuration& configuration) const {
  if (!objective_) return Metric{kTime, time.value(), "ns"};
  return objective_in(compute(measured, time, configuration));
}

measure::ObjectiveInterval Metrics::interval(const Trial& trial) const {
  const Observation& observation = trial.observation;
  const auto is_computed = [this](const Metric& metric) {
    return std::ranges::count(metrics_, metric.name, &Compiled::name) > 0;
  };
  std::vector<Metric> measured = observation.metrics;
  std::erase_if(measured, is_computed);
  const double value = observation.objective();
  measure::ObjectiveInterval interval{value, value, value};
  const Statistics& statistics = *observation.statistics;
  for (const Nanoseconds time : {statistics.interval_low, statistics.interval_high}) {
    const Result<double> end = objective(measured, time, trial.configuration);
    if (!end) continue;  // since the objective may have a value inside of the interval but not at this end
    interval.low = std::min(interval.low, *end);
    interval.high = std::max(interval.high, *end);
  }
  const Result<Metric> middle = objective_metric(measured, statistics.median, trial.configuration);
  const double slack = middle ? middle->uncertainty.value_or(0.0) : 0.0;
  return {value, interval.low - slack, interval.high + slack};
}

}  // namespace wattune::tune
