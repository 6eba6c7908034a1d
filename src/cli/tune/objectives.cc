#include "cli/tune/objectives.h"

#include <fmt/format.h>

#include <algorithm>

#include "tune/interface/standard_metrics.h"
#include "wattune/search/method.h"
#include "wattune/tune/observer.h"

namespace wattune::cli {

namespace {

Result<void> set_slowdown(const TuneOptions& options, KernelSpec& spec) {
  if (!options.slowdown || !options.session.method.empty()) return {};
  if (spec.objectives.empty())
    return Error(ErrorCode::invalid_argument, "--slowdown needs something that may cost time")
        .hint("name it, such as --minimize energy");
  spec.objectives.front().slowdown = options.slowdown;
  return {};
}

bool is_of_board(const std::string& metric) {
  return std::ranges::any_of(tune::kAllBoardMetrics,
                             [&](tune::BoardMetric each) { return metric == tune::to_string(each); });
}

Result<void> check_not_twice(const std::vector<Objective>& objectives) {
  for (const Objective& each : objectives)
    if (std::ranges::count(objectives, each.metric, &Objective::metric) > 1)
      return Error(ErrorCode::invalid_argument, "one metric is two objectives").about(each.metric).hint("name it once");
  return {};
}

}  // namespace

Result<void> check_method(const TuneOptions& options) {
  const search::MethodInfo* const method = search::find_method(options.session.method);
  if (options.slowdown && method != nullptr && !method->within_slowdown)
    return Error(ErrorCode::invalid_argument, "--slowdown means nothing to this method")
        .about(method->name)
        .hint("the method energy-under-slowdown has one");
  if (options.session.method.empty() || (options.objectives.empty() && !options.session.stop.target)) return {};
  return Error(ErrorCode::invalid_argument, "--method decides itself what is searched for")
      .about(options.objectives.empty() ? "--target" : options.objectives.front().metric)
      .hint("leave out --minimize, --maximize and --target, or take a --strategy");
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
    if (is_of_board(objective.metric))
      return Error(ErrorCode::not_found, "what is searched for is not measured")
          .about(objective.metric)
          .hint(fmt::format("--observe {} measures it", objective.metric));
    spec.metrics.push_back({objective.metric, {objective.metric, {where(objective)}}});
  }
  if (options.session.stop.target && tune::custom_objective(spec))
    return Error(ErrorCode::invalid_argument, "--target is a time, which is not what is searched for")
        .about(spec.objectives.front().metric);
  return {};
}

}  // namespace wattune::cli
