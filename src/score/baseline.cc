#include "score/interface/baseline.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/median.h"
#include "score/monotone_cubic.h"

namespace wattune::inline v0_1::score {

namespace {

double mean_or_zero(const std::vector<double>& numbers) {
  return numbers.empty() ? 0.0 : std::reduce(numbers.begin(), numbers.end()) / static_cast<double>(numbers.size());
}

double cost_in_seconds(const Observation& observation, tune::ReplayClock clock) {
  return clock == tune::ReplayClock::evaluations ? 1.0 : to_seconds(cost_of(observation));
}

Error nothing_to_search(const char* why) { return Error(ErrorCode::invalid_argument, why); }

}  // namespace

Result<Baseline> Baseline::of(const std::vector<Trial>& trials, tune::ReplayClock clock) {
  Baseline baseline;
  std::vector<double> valid_costs;
  std::vector<double> failed_costs;
  for (const Trial& trial : trials) {
    const bool ok = trial.observation.has_objective();
    (ok ? valid_costs : failed_costs).push_back(cost_in_seconds(trial.observation, clock));
    if (ok) baseline.best_first_.push_back(trial.observation.objective());
  }
  std::vector<double>& values = baseline.best_first_;
  std::ranges::sort(values);
  if (values.empty()) return nothing_to_search("no recorded configuration is correct");
  if (values.front() == values.back())
    return nothing_to_search("all correct configurations are equally fast: there is nothing to search for");
  baseline.failed_ = failed_costs.size();
  baseline.median_ = median_of(values);
  const double failed_share = static_cast<double>(failed_costs.size()) / static_cast<double>(trials.size());
  baseline.mean_cost_ = mean_or_zero(valid_costs) + failed_share * mean_or_zero(failed_costs);
  std::vector<double> costs = std::move(valid_costs);
  costs.insert(costs.end(), failed_costs.begin(), failed_costs.end());
  baseline.median_cost_ = median_of(costs);
  if (!(baseline.median_cost_ > 0.0)) return nothing_to_search("evaluations were recorded as costing no time");

  auto start = baseline.evaluations_to(kStartShare);
  auto end = baseline.evaluations_to(kEndShare);
  // A curve needs at least two evaluations.
  if (end < start + 2) {
    end += start == 0 ? 2 : 1;
    start -= start == 0 ? 0 : 1;
  }
  baseline.start_ = static_cast<double>(start) * baseline.median_cost_;
  baseline.end_ = static_cast<double>(end) * baseline.median_cost_;
  return baseline;
}

// Returns the number of evaluations. Let w_0 .. w_(N-1) be the values from worst to best, and w_i the first at or below
// the cut. Random search then needs i / (N + 1 - i) draws without replacement.
std::uint64_t Baseline::evaluations_to(double share) const {
  const double cut = optimum() + (median_ - optimum()) * (1.0 - share);
  const auto at_or_below = static_cast<std::size_t>(std::ranges::upper_bound(best_first_, cut) - best_first_.begin());
  const std::size_t n = valid();
  std::size_t i = n - at_or_below;
  // If only the optimum met the cut, random search would need all draws. So the value before the optimum counts.
  if (best_first_[n - 1 - i] == optimum() && i > 0) --i;
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(i) / static_cast<double>(n + 1 - i)));
}

// Returns the expected best value after M draws. Its expected rank, counted from the worst, is M (N + 1) / (M + 1),
// rounded as numpy does: ties go to the even number.
double Baseline::value_after(std::uint64_t evaluations) const {
  const auto n = static_cast<double>(valid());
  const auto m = static_cast<double>(evaluations);
  const double from_worst = std::min(n - 1.0, std::nearbyint(m * (n + 1.0) / (m + 1.0)));
  return best_first_[valid() - 1 - static_cast<std::size_t>(from_worst)];
}

std::vector<double> Baseline::times(std::size_t points) const {
  std::vector<double> times(points);
  for (std::size_t k = 0; k < points; ++k)
    times[k] = start_ + (end_ - start_) * static_cast<double>(k) / static_cast<double>(points - 1);
  return times;
}

// Returns the expected best value at equally spaced times. It is computed for each number of evaluations that occurs at
// these times; a monotone cubic connects the values.
std::vector<double> Baseline::curve(std::size_t points) const {
  std::vector<double> evaluations;
  std::vector<double> values;
  for (const double time : times(points)) {
    const double m = std::nearbyint(std::max(time / mean_cost_, 1.0));
    if (!evaluations.empty() && evaluations.back() == m) continue;
    evaluations.push_back(m);
    values.push_back(value_after(static_cast<std::uint64_t>(m)));
  }
  if (evaluations.size() < 2) return std::vector<double>(points, values.front());
  const MonotoneCubic cubic(evaluations, values);
  std::vector<double> curve(points);
  for (std::size_t k = 0; k < points; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(points - 1);
    curve[k] = cubic(evaluations.front() + (evaluations.back() - evaluations.front()) * share);
  }
  return curve;
}

}  // namespace wattune::score
