#include "report/interface/trials.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <string>
#include <tuple>

#include "core/interface/printable.h"

namespace wattune::inline v0_1::report {

namespace {

// Returns a key by which Trials are sorted. The best Trial comes first, then those fast enough to count, then the
// slower ones. Among those fast enough, Trials that ran beside the best in the final come first, by their places; ties
// are ordered by objective.
std::tuple<bool, bool, bool, FinalPlace, double> rank_of(const Trial& trial, const Trial* best, Nanoseconds longest) {
  const bool beside = best != nullptr && ran_beside(trial, *best);
  return {&trial != best, time_of(trial) > longest, !beside, beside ? trial.observation.final_place : FinalPlace::none,
          trial.observation.objective()};
}

}  // namespace

bool has_time(const Trial& trial) {
  return trial.observation.ok() && std::isfinite(time_of(trial).value()) && time_of(trial) > Nanoseconds();
}

bool ran_beside(const Trial& trial, const Trial& winner) {
  return winner.observation.final_place == FinalPlace::winner && trial.observation.final_place != FinalPlace::none &&
         trial.finished_at == winner.finished_at;
}

std::vector<const Trial*> ranked(const ResultSet& results) {
  std::vector<const Trial*> trials;
  for (const Trial* trial : counting(results.trials))
    if (has_time(*trial)) trials.push_back(trial);
  const Trial* best = results.best();
  const Nanoseconds longest = results.longest_time();
  std::ranges::stable_sort(trials, {}, [&](const Trial* trial) { return rank_of(*trial, best, longest); });
  return trials;
}

std::vector<double> searched_objectives(const ResultSet& results) {
  std::vector<double> objectives;
  const Nanoseconds longest = results.longest_time();
  for (const Trial* trial : ranked(results))
    if (time_of(*trial) <= longest && std::isfinite(objective_of(*trial))) objectives.push_back(objective_of(*trial));
  std::ranges::sort(objectives);
  return objectives;
}

std::optional<Objective> searched_for(const ResultSet& results) {
  const auto is_ranked_by_it = [](const Trial& trial) {
    return trial.observation.ok() && trial.observation.objective_value.has_value();
  };
  if (results.info.objectives.empty() || !std::ranges::any_of(results.trials, is_ranked_by_it)) return std::nullopt;
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
  return printable(info.device.name.empty() ? kernel : kernel + " on " + info.device.name);
}

std::vector<std::string> telling_names(const std::vector<ResultSet>& results, const std::vector<std::string>& files) {
  std::vector<std::string> kernels, devices, both, names_of_files;
  for (std::size_t i = 0; i < results.size(); ++i) {
    kernels.push_back(results[i].info.kernel_name);
    devices.push_back(results[i].info.device.name);
    both.push_back(name_of(results[i].info));
    const std::string file = std::filesystem::path(files[i]).filename().string();
    names_of_files.push_back(file.substr(0, file.find('.', 1)));
  }
  const auto differing = [](const std::vector<std::string>& names) {
    return std::set<std::string>(names.begin(), names.end()).size();
  };
  const bool one_kernel = differing(kernels) == 1;
  const bool one_device = differing(devices) == 1;
  const std::vector<std::string>& names = one_kernel == one_device ? both : one_kernel ? devices : kernels;
  return differing(names) == results.size() && std::ranges::count(names, "") == 0 ? names : names_of_files;
}

std::vector<std::size_t> varied_parameters(const ResultSet& results) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < results.info.parameters.size(); ++i)
    if (results.info.parameters[i].values.size() > 1) positions.push_back(i);
  return positions;
}

}  // namespace wattune::report
