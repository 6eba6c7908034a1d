#include "report/trials.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_set>

#include "wattune/core/printable.h"

namespace wattune::report {

bool has_time(const Trial& trial) {
  return trial.observation.ok() && std::isfinite(time_of(trial).value()) && time_of(trial) > Nanoseconds();
}

std::vector<const Trial*> ranked(const ResultSet& results) {
  std::vector<const Trial*> trials;
  for (const Trial& trial : results.trials)
    if (has_time(trial)) trials.push_back(&trial);
  std::stable_sort(trials.begin(), trials.end(), [](const Trial* a, const Trial* b) {
    return a->observation.objective() < b->observation.objective();
  });
  const auto best = std::find(trials.begin(), trials.end(), results.best());
  if (best != trials.end()) std::rotate(trials.begin(), best, best + 1);
  std::unordered_set<std::string> seen;
  std::erase_if(trials, [&](const Trial* trial) { return !seen.insert(trial->configuration.key()).second; });
  return trials;
}

std::optional<Objective> searched_for(const ResultSet& results) {
  const Trial* best = results.best();
  if (results.info.objectives.empty() || best == nullptr || !best->observation.target) return std::nullopt;
  return results.info.objectives.front();
}

const Trial* default_trial(const ResultSet& results) {
  const Trial* found = nullptr;
  for (const Trial& trial : results.trials) {
    if (results.info.default_values.empty() || trial.configuration.values() != results.info.default_values) continue;
    const bool is_better = found == nullptr || !has_time(*found) ||
                           (has_time(trial) && trial.observation.objective() < found->observation.objective());
    if (is_better) found = &trial;
  }
  return found;
}

std::string name_of(const RunInfo& info) {
  const std::string kernel = info.kernel_name.empty() ? "tuning" : info.kernel_name;
  return printable(info.device.name.empty() ? kernel : kernel + " on " + info.device.name);
}

std::vector<std::size_t> varied_parameters(const ResultSet& results) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < results.info.parameters.size(); ++i)
    if (results.info.parameters[i].values.size() > 1) positions.push_back(i);
  return positions;
}

}  // namespace wattune::report
