// Decides when the samples of a configuration suffice: by the interval of the median, or by one of two rules of nvbench
// (NVIDIA/nvbench, 2026-08), stdrel and entropy. Each rule reads all samples again, which are a few hundred at most.
#include <cmath>
#include <map>
#include <numbers>

#include "measure/sampling.h"

namespace wattune::inline v0_1::measure {

namespace {

// Constants of nvbench.
constexpr std::size_t kNoiseValues = 64;     // number of values of the noise that are compared
constexpr double kStableNoise = 0.05;        // a smaller relative deviation of the noise is stable
constexpr std::size_t kEntropyWindow = 299;  // number of values to which the line is fitted
constexpr double kFlatAngle = 0.048;         // slope of the line in degrees, below which it counts as flat
constexpr double kGoodFit = 0.36;            // R squared of the line, above which it fits well

// Mean and standard deviation, updated with one value at a time (Welford 1962).
class Moments {
 public:
  void add(double value) {
    const double delta = value - mean_;
    mean_ += delta / static_cast<double>(++n_);
    squares_ += delta * (value - mean_);
  }
  std::size_t count() const { return n_; }
  double relative_deviation() const {
    return mean_ > 0.0 ? std::sqrt(squares_ / static_cast<double>(n_ - 1)) / mean_ : 0.0;
  }

 private:
  std::size_t n_ = 0;
  double mean_ = 0.0;
  double squares_ = 0.0;
};

bool narrow_interval(const std::vector<Sample>& samples, double precision) {
  const Statistics statistics = summarize(samples);
  const Nanoseconds half_width = (statistics.interval_high - statistics.interval_low) / 2.0;
  return statistics.confidence && half_width <= statistics.median * precision;
}

bool small_or_stable_deviation(const std::vector<Sample>& samples, double precision) {
  Moments times;
  Moments noise;
  for (const Sample& sample : samples) {
    times.add(sample.time.value());
    if (times.count() > 1) noise.add(times.relative_deviation());
  }
  if (times.count() < 2) return false;
  if (times.relative_deviation() < precision) return true;
  return noise.count() > kNoiseValues && noise.relative_deviation() < kStableNoise;
}

// Returns the entropy of the times so far, in bits, after each sample.
std::vector<double> running_entropy(const std::vector<Sample>& samples) {
  std::map<double, double> counts;
  std::vector<double> entropies;
  double sum = 0.0;  // sum of c log2 c over the counts c of equal times
  for (const Sample& sample : samples) {
    double& count = counts[sample.time.value()];
    if (count > 0.0) sum -= count * std::log2(count);
    ++count;
    sum += count * std::log2(count);
    const auto n = static_cast<double>(entropies.size() + 1);
    entropies.push_back(std::log2(n) - sum / n);
  }
  return entropies;
}

bool flat_entropy(const std::vector<Sample>& samples) {
  const std::vector<double> entropies = running_entropy(samples);
  const std::size_t n = std::min(entropies.size(), kEntropyWindow);
  if (n < 2) return false;
  const double mean_x = static_cast<double>(n - 1) / 2.0;
  double mean_y = 0.0;
  for (std::size_t i = 0; i < n; ++i) mean_y += entropies[entropies.size() - n + i] / static_cast<double>(n);
  double xx = 0.0;
  double xy = 0.0;
  double yy = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = static_cast<double>(i) - mean_x;
    const double y = entropies[entropies.size() - n + i] - mean_y;
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  if (yy == 0.0) return true;  // true, because the entropy is the same throughout
  const double degrees = std::atan(xy / xx) * 180.0 / std::numbers::pi;
  return degrees <= kFlatAngle && xy * xy / (xx * yy) >= kGoodFit;
}

}  // namespace

bool converged(const std::vector<Sample>& samples, const SamplingOptions& options) {
  switch (options.convergence) {
    case Convergence::interval: return narrow_interval(samples, options.relative_precision);
    case Convergence::stdrel: return small_or_stable_deviation(samples, options.relative_precision);
    case Convergence::entropy: return flat_entropy(samples);
  }
  return true;
}

}  // namespace wattune::measure
