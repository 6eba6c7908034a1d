#include "score/interface/curve.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/median.h"
#include "score/isotonic.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::score {

namespace {

constexpr std::size_t kMinEstimators = 3;
// Share of the optimum below which a difference counts as rounding, since the baseline is interpolated.
constexpr double kNothingToGain = 1e-9;

// Returns the time after which the curve is not trusted: the first end of a run that is later than the median end.
double stopping_point(const std::vector<SearchRun>& runs) {
  std::vector<double> ends;
  for (const SearchRun& run : runs)
    if (!run.points.empty()) ends.push_back(run.points.back().seconds);
  std::ranges::sort(ends);
  const auto next = std::ranges::upper_bound(ends, median_of(ends));
  return next == ends.end() ? std::numeric_limits<double>::infinity() : *next;
}

}  // namespace

// Collects the evaluations of all runs within the measured part and a margin around it. The margin is wider if all runs
// have few evaluations.
Performance::Performance(const Baseline& baseline, const std::vector<SearchRun>& runs)
    : baseline_(baseline),
      repeats_(runs.size()),
      times_(baseline.times(kCurvePoints)),
      random_(baseline.curve(kCurvePoints)),
      stopping_point_(stopping_point(runs)) {
  std::size_t longest = 1;
  for (const SearchRun& run : runs) longest = std::max(longest, run.points.size());
  const double margin = 0.1 + 0.25 / static_cast<double>(longest);
  collect(runs, baseline.start() * (1.0 - margin), baseline.end() * (1.0 + margin));
  // If evaluations are so long that none ends in the measured part, all evaluations count.
  if (points_.empty()) collect(runs, 0.0, std::numeric_limits<double>::infinity());
  std::ranges::sort(points_, {}, &RankedPoint::seconds);
  counts_.resize(repeats_);
  for (const RankedPoint& point : points_) counts_[point.run] = true;
}

void Performance::collect(const std::vector<SearchRun>& runs, double from, double to) {
  const std::vector<double>& values = baseline_.best_first();
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (const RunPoint& point : runs[r].points)
      if (from <= point.seconds && point.seconds <= to)
        points_.push_back(
            {point.seconds, static_cast<double>(std::ranges::lower_bound(values, point.best) - values.begin()), r});
}

// Returns the mean of several regressions, each over points that are drawn with replacement. There are as many
// regressions as repeats of the search, but at least kMinEstimators.
std::vector<double> Performance::curve(std::uint64_t seed) const {
  Random random(seed);
  const std::size_t estimators = std::max(repeats_, kMinEstimators);
  const double share = 1.0 / std::sqrt(static_cast<double>(estimators));
  const auto size = std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(points_.size()) * share));
  std::vector<double> ranks(times_.size(), 0.0);
  std::vector<std::size_t> drawn(size);
  std::vector<WeightedPoint> sample(size);
  for (std::size_t e = 0; e < estimators; ++e) {
    for (std::size_t& index : drawn) index = random.below(points_.size());
    std::ranges::sort(drawn);
    for (std::size_t i = 0; i < size; ++i) sample[i] = {points_[drawn[i]].seconds, points_[drawn[i]].rank, 1.0};
    const std::vector<double> prediction = DecreasingFit(sample).at(times_);
    for (std::size_t k = 0; k < ranks.size(); ++k) ranks[k] += prediction[k] / static_cast<double>(estimators);
  }
  return of_ranks(ranks);
}

std::vector<double> Performance::weighted_curve(const std::vector<double>& weights) const {
  std::vector<WeightedPoint> points;
  points.reserve(points_.size());
  for (const RankedPoint& point : points_)
    if (weights[point.run] > 0.0) points.push_back({point.seconds, point.rank, weights[point.run]});
  return of_ranks(DecreasingFit(points).at(times_));
}

// Converts ranks to objectives, and these to performance. Objectives stay constant after the stopping point.
std::vector<double> Performance::of_ranks(const std::vector<double>& ranks) const {
  const auto worst = static_cast<double>(baseline_.valid() - 1);
  std::vector<double> performance(times_.size());
  double value = 0.0;
  bool held = false;
  for (std::size_t k = 0; k < times_.size(); ++k) {
    if (!held)
      value = baseline_.best_first()[static_cast<std::size_t>(std::clamp(std::nearbyint(ranks[k]), 0.0, worst))];
    held = held || times_[k] > stopping_point_;
    const double to_gain = baseline_.optimum() - random_[k];
    // If random search is expected to have found the optimum, a strategy can only equal it.
    const bool nothing_to_gain = std::abs(to_gain) <= kNothingToGain * std::abs(baseline_.optimum());
    performance[k] = nothing_to_gain ? (value == baseline_.optimum() ? 1.0 : 0.0) : (value - random_[k]) / to_gain;
  }
  return performance;
}

double mean_of(const std::vector<double>& curve) {
  return std::reduce(curve.begin(), curve.end()) / static_cast<double>(curve.size());
}

}  // namespace wattune::score
