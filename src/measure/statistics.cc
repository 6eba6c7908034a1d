// Computes the confidence interval of the median, from order statistics.
//
// Each sample lies below the true median with probability 1/2, whatever the distribution. So the number of samples
// below it is binomial(n, 1/2), and
//   P(x_(k) <= median <= x_(n+1-k)) >= 1 - 2 P(Binomial(n, 1/2) <= k - 1).
//
// The interval uses the largest k that keeps the wanted confidence. Sources: Conover, Practical Nonparametric
// Statistics, section 3.2; Hahn and Meeker, Statistical Intervals, section 5.2.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "measure/interface/median_interval.h"
#include "wattune/measure/policy.h"

namespace wattune::inline v0_1::measure {

namespace {

// Returns the largest k whose interval has the confidence, counted from 1; 0 if even the extremes do not reach it.
std::size_t interval_rank(std::size_t n, double confidence) {
  const double tail = (1.0 - confidence) / 2.0;
  const auto count = static_cast<double>(n);
  // Logarithm of the probability that exactly k samples lie below the median; 2^-n itself would underflow.
  double log_probability = -count * std::log(2.0);
  double cumulative = 0.0;
  std::size_t k = 0;
  for (; k < n / 2; ++k) {
    cumulative += std::exp(log_probability);
    if (cumulative > tail) break;
    log_probability += std::log((count - static_cast<double>(k)) / static_cast<double>(k + 1));
  }
  return k;
}

double median_of_sorted(const std::vector<double>& values) {
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2.0;
}

}  // namespace

MedianInterval median_interval(const std::vector<double>& sorted, double confidence) {
  const std::size_t rank = interval_rank(sorted.size(), confidence);
  const std::size_t low = rank == 0 ? 0 : rank - 1;
  return {median_of_sorted(sorted), sorted[low], sorted[sorted.size() - 1 - low], rank > 0};
}

Statistics summarize(const std::vector<Sample>& samples, double confidence) {
  assert(!samples.empty());
  std::vector<double> times;
  times.reserve(samples.size());
  for (const Sample& sample : samples) times.push_back(sample.time.value());
  std::sort(times.begin(), times.end());

  const MedianInterval interval = median_interval(times, confidence);
  Statistics statistics;
  statistics.median = Nanoseconds(interval.median);
  statistics.interval_low = Nanoseconds(interval.low);
  statistics.interval_high = Nanoseconds(interval.high);
  statistics.mean = Nanoseconds(std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size()));
  statistics.minimum = Nanoseconds(times.front());
  if (interval.covers) statistics.confidence = confidence;
  return statistics;
}

}  // namespace wattune::measure
