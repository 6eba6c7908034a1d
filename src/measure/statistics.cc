// The confidence interval of the median from order statistics.
//
// Each sample lies below the true median with probability 1/2, whatever the distribution, so the number of samples
// below it is binomial(n, 1/2), and
//   P(x_(k) <= median <= x_(n+1-k)) >= 1 - 2 P(Binomial(n, 1/2) <= k - 1).
// The interval uses the largest k that keeps the wanted confidence. Source: Conover, Practical Nonparametric
// Statistics, section 3.2; Hahn and Meeker, Statistical Intervals, section 5.2.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "wattune/measure/policy.h"

namespace wattune::measure {

namespace {

// The largest such k, counted from 1; 0 when even the extremes do not reach the confidence.
std::size_t interval_rank(std::size_t n, double confidence) {
  const double tail = (1.0 - confidence) / 2.0;
  const auto count = static_cast<double>(n);
  double log_probability = -count * std::log(2.0);  // of exactly k samples below; logarithms, because 2^-n underflows
  double cumulative = 0.0;
  std::size_t k = 0;
  for (; k < n / 2; ++k) {
    cumulative += std::exp(log_probability);
    if (cumulative > tail) break;
    log_probability += std::log((count - static_cast<double>(k)) / static_cast<double>(k + 1));
  }
  return k;
}

Nanoseconds median_of_sorted(const std::vector<Nanoseconds>& times) {
  const std::size_t middle = times.size() / 2;
  return times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2.0;
}

}  // namespace

Statistics summarize(const std::vector<Sample>& samples, double confidence) {
  assert(!samples.empty());
  std::vector<Nanoseconds> times;
  times.reserve(samples.size());
  for (const Sample& sample : samples) times.push_back(sample.time);
  std::sort(times.begin(), times.end());

  const std::size_t rank = interval_rank(times.size(), confidence);
  const std::size_t low = rank == 0 ? 0 : rank - 1;
  Statistics statistics;
  statistics.median = median_of_sorted(times);
  statistics.interval_low = times[low];
  statistics.interval_high = times[times.size() - 1 - low];
  statistics.mean = std::accumulate(times.begin(), times.end(), Nanoseconds{}) / static_cast<double>(times.size());
  statistics.minimum = times.front();
  statistics.confidence = rank == 0 ? 0.0 : confidence;
  return statistics;
}

}  // namespace wattune::measure
