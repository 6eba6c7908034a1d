#include "report/trials.h"

#include <algorithm>
#include <cmath>

namespace wattune::report {

bool has_time(const Trial& trial) {
  return trial.observation.ok() && std::isfinite(time_of(trial).value()) && time_of(trial) > Nanoseconds();
}

std::vector<const Trial*> ranked(const ResultSet& results) {
  std::vector<const Trial*> trials;
  for (const Trial* trial : counting(results.trials))
    if (has_time(*trial)) trials.push_back(trial);
  std::stable_sort(trials.begin(), trials.end(), [](const Trial* a, const Trial* b) {
    return a->observation.objective() < b->observation.objective();
  });
  const auto best = std::find(trials.begin(), trials.end(), results.best());
  if (best != trials.end()) std::rotate(trials.begin(), best, best + 1);
  return trials;
}

std::optional<Objective> searched_for(const ResultSet& results) {
  const Trial* best = results.best();
  if (results.info.objectives.empty() || best == nullptr || !best->observation.objective_value) return std::nullopt;
  return results.info.objectives.front();
}

const Trial* default_trial(const ResultSet& results) {
  if (results.info.default_values.empty()) return nullptr;
  for (const Trial* trial : counting(results.trials))
    if (trial->configuration.values() == results.info.default_values) return trial;
  return nullptr;
}

std::string name_of(const RunInfo& info) {
  const std::string kernel = info.kernel_name.empty() ? "tuning" : info.kernel_name;
  return info.device.name.empty() ? kernel : kernel + " on " + info.device.name;
}

std::vector<std::size_t> varied_parameters(const ResultSet& results) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < results.info.parameters.size(); ++i)
    if (results.info.parameters[i].values.size() > 1) positions.push_back(i);
  return positions;
}

}  // namespace wattune::report
