// The normal distribution, and the expected gain of a value that follows it.
#pragma once

#include <cmath>
#include <numbers>

namespace wattune::inline v0_1 {

// Number of standard deviations on each side of the mean within which 95 % of the distribution lie.
inline constexpr double kNormal95 = 1.959964;

// Returns the share of the distribution that lies below this many standard deviations.
inline double normal_share_below(double deviations) { return 0.5 * std::erfc(-deviations / std::numbers::sqrt2); }

inline double normal_density(double deviations) {
  return std::exp(-0.5 * deviations * deviations) / std::sqrt(2.0 * std::numbers::pi);
}

// Returns the expected amount by which the value is less than `best`; a larger value counts as 0. Source: Jones,
// Schonlau and Welch, "Efficient global optimization of expensive black-box functions", 1998, equation 15.
// Precondition: `deviation` is positive.
inline double expected_improvement(double mean, double deviation, double best) {
  const double deviations = (best - mean) / deviation;
  return deviation * (deviations * normal_share_below(deviations) + normal_density(deviations));
}

}  // namespace wattune
