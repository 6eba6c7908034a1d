#include "core/interface/pareto.h"

#include <algorithm>
#include <cmath>

namespace wattune::inline v0_1 {

std::optional<double> value_of(const Observation& observation, const std::string& metric) {
  if (!observation.ok()) return std::nullopt;
  if (metric == "time") return to_seconds(observation.statistics->median);
  const auto found = std::ranges::find(observation.metrics, metric, &Metric::name);
  return found == observation.metrics.end() ? std::nullopt : std::optional(found->value);
}

std::optional<std::vector<double>> costs_of(const Observation& observation, const std::vector<Objective>& objectives) {
  std::vector<double> costs;
  for (const Objective& objective : objectives) {
    const std::optional<double> value = value_of(observation, objective.metric);
    if (!value || !std::isfinite(*value)) return std::nullopt;
    costs.push_back(objective.maximize ? -*value : *value);
  }
  return costs;
}

bool dominates(const std::vector<double>& a, const std::vector<double>& b) {
  bool better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
    better = better || a[i] < b[i];
  }
  return better;
}

}  // namespace wattune
