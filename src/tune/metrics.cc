#include "tune/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "wattune/core/suggest.h"
#include "wattune/tune/evaluator.h"

namespace wattune::tune {

namespace {

constexpr const char* kTime = "time";

Error name_is_taken(const MetricDefinition& metric) {
  return Error(ErrorCode::invalid_argument, "a metric needs a name of its own")
      .at(metric.expression.position)
      .about(metric.name)
      .hint("the parameters, the extents of the problem and `time` have these names");
}

Result<double> number_of(const std::string& name, const Value& value) {
  if (value.is_number() && std::isfinite(value.as_real())) return value.as_real();
  return Error(ErrorCode::invalid_argument, fmt::format("metric `{}` is no finite number", name))
      .about(value.to_string());
}

}  // namespace

std::optional<Objective> custom_objective(const KernelSpec& spec) {
  if (spec.objectives.empty() || spec.objectives.front() == Objective{kTime, false}) return std::nullopt;
  return spec.objectives.front();
}

Result<Metrics> Metrics::compile(const KernelSpec& spec, const std::vector<Parameter>& parameters,
                                 const std::vector<Quantity>& observed) {
  Metrics metrics;
  // To an expression, time and metrics are what parameters are: names whose values change with the configuration.
  std::vector<Parameter> readable = parameters;
  readable.push_back({kTime, {}, {}, {}});
  std::vector<std::string> names{kTime};
  for (const Quantity quantity : observed) {
    if (std::ranges::count(parameters, to_string(quantity), &Parameter::name) > 0)
      return Error(ErrorCode::invalid_argument, "a parameter has the name of what is observed")
          .about(to_string(quantity));
    readable.push_back({to_string(quantity), {}, {}, {}});
    names.emplace_back(to_string(quantity));
    metrics.observed_.emplace_back(to_string(quantity));
  }
  for (const MetricDefinition& metric : spec.metrics) {
    const auto known = std::make_shared<const Names>(spec.problem_size, readable);
    if (known->is_parameter(metric.name) || known->constant(metric.name) != nullptr) return name_is_taken(metric);
    WATTUNE_ASSIGN(Formula<Value> formula, Formula<Value>::compile(metric.expression, known));
    metrics.metrics_.push_back({metric.name, std::move(formula)});
    readable.push_back({metric.name, {}, {}, {}});
    names.push_back(metric.name);
  }
  for (const Objective& objective : spec.objectives) {
    if (std::find(names.begin(), names.end(), objective.metric) != names.end()) continue;
    return Error(ErrorCode::not_found, "the objective is no metric")
        .about(objective.metric)
        .hint(suggest(objective.metric, names));
  }
  metrics.objective_ = custom_objective(spec);
  return metrics;
}

Result<void> Metrics::add_to(Observation& observation, const Configuration& configuration) const {
  if (metrics_.empty() && !objective_) return {};
  std::vector<std::string> names = configuration.names();
  std::vector<Value> values = configuration.values();
  const auto add = [&](const std::string& name, double value) {
    names.push_back(name);
    values.emplace_back(value);
    if (objective_ && objective_->metric == name) observation.target = objective_->maximize ? -value : value;
  };
  add(kTime, to_seconds(observation.statistics->median));
  for (const Metric& metric : observation.metrics)
    if (std::ranges::count(observed_, metric.name) > 0) add(metric.name, metric.value);
  for (const Compiled& metric : metrics_) {
    const Configuration known(configuration.id(), std::make_shared<const std::vector<std::string>>(names), values);
    WATTUNE_ASSIGN(const Value result, metric.formula.evaluate(known));
    WATTUNE_ASSIGN(const double value, number_of(metric.name, result));
    observation.metrics.push_back({metric.name, value, ""});
    add(metric.name, value);
  }
  return {};
}

}  // namespace wattune::tune
