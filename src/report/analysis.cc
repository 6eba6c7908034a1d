#include "report/interface/analysis.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/fitness_flow.h"
#include "report/interface/trials.h"

namespace wattune::inline v0_1::report {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Returns an objective divided by the best one, which is the factor by which it is slower. Returns infinity if the
// signs give such a ratio no meaning.
double slowdown(double objective, double best) {
  if (objective == best) return 1.0;
  return gain(best, objective).value_or(std::numeric_limits<double>::infinity());
}

// Finds the Trial of a configuration by names and values. If the other run has further parameters, several
// configurations match and the best of them is returned.
const Trial* find(const ResultSet& results, const Configuration& wanted) {
  const Trial* best = nullptr;
  for (const Trial* trial : counting(results.trials)) {
    const bool same = std::ranges::all_of(wanted.names(), [&](const std::string& name) {
      const Value* value = trial->configuration.find(name);
      return value != nullptr && *value == *wanted.find(name);
    });
    if (!same || trial->observation.status == Status::not_recorded) continue;
    const bool better =
        best == nullptr || (has_time(*trial) && (!has_time(*best) || objective_of(*trial) < objective_of(*best)));
    if (better) best = trial;
  }
  return best;
}

// Returns the speed of a Trial as a share of the speed of the best one. Returns 0 if the Trial failed. The share is at
// most 1, because the best may have won the final although another Trial was faster in the search.
double speed_of(const Trial& trial, const Trial& best) {
  if (!trial.observation.ok()) return 0.0;
  return std::min(1.0, 1.0 / slowdown(objective_of(trial), objective_of(best)));
}

}  // namespace

Distribution distribution_of(const ResultSet& results) {
  const std::vector<double> objectives = searched_objectives(results);
  Distribution distribution;
  distribution.correct = ranked(results).size();
  distribution.failed =
      static_cast<std::size_t>(std::ranges::count_if(counting(results.trials), [](const Trial* trial) {
        return !trial->observation.ok() && trial->observation.status != Status::not_recorded;
      }));
  if (objectives.empty()) return distribution;
  const auto at = [&](double share) {
    return objectives[static_cast<std::size_t>(std::lround(share * static_cast<double>(objectives.size() - 1)))];
  };
  distribution.best = at(0.0);
  distribution.quarter = at(0.25);
  distribution.median = at(0.5);
  distribution.three_quarters = at(0.75);
  distribution.worst = at(1.0);
  return distribution;
}

std::size_t count_within(const ResultSet& results, double share) {
  const std::vector<double> objectives = searched_objectives(results);
  return static_cast<std::size_t>(std::ranges::count_if(
      objectives, [&](double objective) { return slowdown(objective, objectives.front()) <= 1.0 + share; }));
}

bool describes_space(const ResultSet& results) {
  constexpr std::size_t kLeastRecorded = 100;
  std::vector<const Trial*> trials = counting(results.trials);
  std::erase_if(trials, [](const Trial* trial) { return trial->observation.status == Status::not_recorded; });
  double combinations = 1.0;
  for (const Parameter& parameter : results.info.parameters)
    combinations *= static_cast<double>(std::max<std::size_t>(1, parameter.values.size()));
  const auto recorded = static_cast<double>(trials.size());
  std::erase_if(trials, [](const Trial* trial) { return !has_time(*trial) || !trial->observation.has_objective(); });
  if (trials.empty() || recorded >= combinations) return !trials.empty();
  if (recorded < kLeastRecorded) return false;
  const double parameters = static_cast<double>(varied_parameters(results).size());
  const FitnessFlow flow(trials, results.info.parameters);
  return static_cast<double>(flow.neighbours()) >= parameters / 2.0 * static_cast<double>(trials.size());
}

Amortisation amortisation_of(const ResultSet& results) {
  constexpr double kGoodSpeedShare = 0.95;  // least speed of a good configuration, as a share of the best speed
  constexpr double kProbability = 0.9;      // probability with which a good configuration is to be found
  constexpr double kPerformance = 0.9;      // speed to reach, as a share of that with a good one from the start
  const std::vector<double> objectives = searched_objectives(results);
  if (objectives.empty()) return {};
  double good = 0.0;
  double mean = 0.0;  // mean time, divided by that of a good configuration
  for (const double objective : objectives) {
    const double slow = slowdown(objective, objectives.front()) * kGoodSpeedShare;
    good += slow <= 1.0 ? 1.0 : 0.0;
    mean += slow / static_cast<double>(objectives.size());
  }
  const Distribution all = distribution_of(results);
  const double share = good / static_cast<double>(all.correct + all.failed);
  const double steps = share < 1.0 ? std::ceil(std::log(1.0 - kProbability) / std::log(1.0 - share)) : 1.0;
  const double loss = std::max(0.0, mean - 1.0);
  return {steps, std::max(steps, std::ceil(kPerformance * steps * loss / (1.0 - kPerformance)))};
}

Centrality centrality_of(const ResultSet& results, const std::vector<double>& shares) {
  std::vector<const Trial*> trials = ranked(results);
  const Nanoseconds longest = results.longest_time();
  std::erase_if(trials, [longest](const Trial* trial) {
    return time_of(*trial) > longest || !trial->observation.has_objective();
  });
  Centrality centrality;
  if (trials.empty()) {
    centrality.proportions.assign(shares.size(), kUnknown);
    return centrality;
  }
  const double best = searched_objectives(results).front();
  const FitnessFlow flow(trials, results.info.parameters);
  const std::vector<double> rank = flow.page_rank();
  double all = 0.0;
  std::vector<double> good(shares.size(), 0.0);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!flow.is_minimum(i)) continue;
    ++centrality.minima;
    all += rank[i];
    for (std::size_t s = 0; s < shares.size(); ++s)
      if (slowdown(objective_of(*trials[i]), best) <= 1.0 + shares[s]) good[s] += rank[i];
  }
  for (const double sum : good) centrality.proportions.push_back(sum / all);
  return centrality;
}

std::vector<std::vector<double>> portability(const std::vector<ResultSet>& results) {
  std::vector<std::vector<double>> matrix;
  for (const ResultSet& from : results) {
    std::vector<double>& row = matrix.emplace_back();
    const Trial* best = from.best();
    for (const ResultSet& to : results) {
      const Trial* there = best == nullptr || to.best() == nullptr ? nullptr : find(to, best->configuration);
      row.push_back(there == nullptr ? kUnknown : speed_of(*there, *to.best()));
    }
  }
  return matrix;
}

}  // namespace wattune::report
