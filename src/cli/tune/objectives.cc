#include "cli/tune/objectives.h"

#include <algorithm>

#include "cli/tune/replay.h"
#include "space/interface/expression.h"
#include "tune/interface/standard_metrics.h"
#include "wattune/backend/counters.h"
#include "wattune/search/method.h"
#include "wattune/tune/observer.h"

namespace wattune::cli {

namespace {

Result<void> set_slowdown(const TuneOptions& options, KernelSpec& spec) {
  if (!options.slowdown || !options.session.method.empty()) return {};
  if (spec.objectives.empty())
    return Error(ErrorCode::invalid_argument, "--slowdown needs an objective other than the time")
        .hint("name it, such as --minimize energy");
  spec.objectives.front().slowdown = options.slowdown;
  return {};
}

bool is_of_board(const std::string& metric) {
  return std::ranges::any_of(tune::kAllBoardMetrics,
                             [&](tune::BoardMetric each) { return metric == tune::to_string(each); });
}

// Tells whether a metric has the name of a hardware counter, as devices know it or by an alias.
bool is_counter(const std::string& metric) {
  if (metric.find("__") != std::string::npos && metric.find_first_of(" +-*/%()") == std::string::npos) return true;
  return std::ranges::any_of(backend::counter_aliases(),
                             [&](const backend::CounterAlias& alias) { return metric == alias.name; });
}

// Returns the error for an objective whose metric should have been measured but was not.
Error not_measured(const std::string& metric, bool is_replayed) {
  if (is_replayed) return Error(ErrorCode::not_found, "the objective was not recorded").about(metric);
  return Error(ErrorCode::not_found, "the objective is a hardware counter, which nothing observes")
      .about(metric)
      .hint("--observe " + metric);
}

bool is_defined(const std::string& name, const std::vector<MetricDefinition>& metrics) {
  return std::ranges::count(metrics, name, &MetricDefinition::name) > 0;
}

// Adds to `observed` the figures of the board that an expression reads, directly or through a standard metric. Metrics
// in `defined` have expressions of their own, which are not searched here.
void add_read(const std::string& text, const std::vector<MetricDefinition>& defined,
              std::vector<tune::BoardMetric>& observed) {
  const auto parsed = space::Expression::parse(text);
  if (!parsed) return;
  for (const std::string& name : parsed->names()) {
    if (is_defined(name, defined)) continue;
    const auto* const metric =
        std::ranges::find_if(tune::kAllBoardMetrics, [&](auto each) { return name == tune::to_string(each); });
    const tune::StandardMetric* const standard = tune::find_standard_metric(name);
    if (metric == std::end(tune::kAllBoardMetrics)) {
      if (standard != nullptr) add_read(std::string(standard->expression), defined, observed);
    } else if (std::ranges::count(observed, *metric) == 0) {
      observed.push_back(*metric);
    }
  }
}

Result<void> check_not_twice(const std::vector<Objective>& objectives) {
  for (const Objective& each : objectives)
    if (std::ranges::count(objectives, each.metric, &Objective::metric) > 1)
      return Error(ErrorCode::invalid_argument, "two objectives are the same metric")
          .about(each.metric)
          .hint("name it once");
  return {};
}

}  // namespace

Result<void> check_method(const TuneOptions& options) {
  const search::MethodInfo* const method = search::find_method(options.session.method);
  if (options.slowdown && method != nullptr && !method->within_slowdown)
    return Error(ErrorCode::invalid_argument, "--slowdown means nothing to this method")
        .about(method->name)
        .hint("the method energy-under-slowdown has one");
  if (options.session.method_options.base_clock && method == nullptr)
    return Error(ErrorCode::invalid_argument, "--base-clock needs a method")
        .hint("--method energy-to-solution+clocks has one");
  if (!options.others.empty() && (method == nullptr || !method->follows_advice))
    return Error(ErrorCode::invalid_argument, "--others needs a method").hint("--method advised has it");
  if (options.session.method.empty() || (options.objectives.empty() && !options.session.stop.target)) return {};
  return Error(ErrorCode::invalid_argument, "--method has its own objectives")
      .about(options.objectives.empty() ? "--target" : options.objectives.front().metric)
      .hint("leave out --minimize, --maximize and --target, or take a --strategy");
}

std::vector<tune::BoardMetric> metrics_to_observe(const KernelSpec& spec, const TuneOptions& options) {
  std::vector<tune::BoardMetric> observed = options.session.evaluation.observe;
  std::vector<MetricDefinition> defined = spec.metrics;
  defined.insert(defined.end(), options.metrics.begin(), options.metrics.end());
  for (const Objective& each : options.objectives.empty() ? spec.objectives : options.objectives)
    add_read(each.metric, defined, observed);
  for (const MetricDefinition& each : defined) add_read(each.expression.text, defined, observed);
  return observed;
}

Result<void> add_objectives(const TuneOptions& options, const std::vector<std::string>& observed, KernelSpec& spec) {
  spec.metrics.insert(spec.metrics.begin(), options.counter_aliases.begin(), options.counter_aliases.end());
  spec.metrics.insert(spec.metrics.end(), options.metrics.begin(), options.metrics.end());
  if (!options.objectives.empty()) spec.objectives = options.objectives;
  WATTUNE_TRY(set_slowdown(options, spec));
  const auto where = [&](const Objective& objective) {
    if (options.objectives.empty()) return spec.file.string();
    return std::string(objective.maximize ? "--maximize" : "--minimize");
  };
  WATTUNE_TRY(check_not_twice(spec.objectives));
  for (const Objective& objective : spec.objectives) {
    const auto same = [&](const MetricDefinition& metric) { return metric.name == objective.metric; };
    if (tune::is_measured(objective.metric) || tune::find_standard_metric(objective.metric) != nullptr ||
        std::ranges::any_of(spec.metrics, same) || std::ranges::count(observed, objective.metric) > 0)
      continue;
    if (is_of_board(objective.metric) || is_counter(objective.metric))
      return not_measured(objective.metric, replayed_file(options.session.device).has_value());
    spec.metrics.push_back({objective.metric, {objective.metric, {where(objective)}}});
  }
  if (options.session.stop.target && tune::custom_objective(spec))
    return Error(ErrorCode::invalid_argument, "--target is a time, but the objective is another")
        .about(spec.objectives.front().metric);
  return {};
}

}  // namespace wattune::cli
