#include "cli/objectives.h"

#include <algorithm>

#include "wattune/tune/standard_metrics.h"

namespace wattune::cli {

Result<void> check_method(const TuneOptions& options) {
  if (options.session.method.empty() || (options.objectives.empty() && !options.session.stop.target)) return {};
  return Error(ErrorCode::invalid_argument, "--method decides itself what is searched for")
      .about(options.objectives.empty() ? "--target" : options.objectives.front().metric)
      .hint("leave out --minimize, --maximize and --target, or take a --strategy");
}

Result<void> add_objectives(const TuneOptions& options, const std::vector<std::string>& observed, KernelSpec& spec) {
  spec.metrics.insert(spec.metrics.begin(), options.counter_aliases.begin(), options.counter_aliases.end());
  spec.metrics.insert(spec.metrics.end(), options.metrics.begin(), options.metrics.end());
  if (!options.objectives.empty()) spec.objectives = options.objectives;
  const auto where = [&](const Objective& objective) {
    if (options.objectives.empty()) return spec.file.string();
    return std::string(objective.maximize ? "--maximize" : "--minimize");
  };
  for (const Objective& objective : spec.objectives) {
    const auto same = [&](const MetricDefinition& metric) { return metric.name == objective.metric; };
    if (tune::is_measured(objective.metric) || tune::find_standard_metric(objective.metric) != nullptr ||
        std::ranges::any_of(spec.metrics, same) || std::ranges::count(observed, objective.metric) > 0)
      continue;
    spec.metrics.push_back({objective.metric, {objective.metric, {where(objective)}}});
  }
  if (options.session.stop.target && tune::custom_objective(spec))
    return Error(ErrorCode::invalid_argument, "--target is a time, which is not what is searched for")
        .about(spec.objectives.front().metric);
  return {};
}

}  // namespace wattune::cli
