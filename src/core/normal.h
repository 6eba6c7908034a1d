// The normal distribution, and what is expected to be gained where a value is thought to be distributed so.
#pragma once

#include <cmath>
#include <numbers>

namespace wattune {

// Standard deviations on each side of the mean that hold 95 % of it.
inline constexpr double kNormal95 = 1.959964;

// The share that lies below so many standard deviations.
inline double normal_share_below(double deviations) { return 0.5 * std::erfc(-deviations / std::numbers::sqrt2); }

inline double normal_density(double deviations) {
  return std::exp(-0.5 * deviations * deviations) / std::sqrt(2.0 * std::numbers::pi);
}

// By how much less than `best` it is expected to be, being no gain where it is more. Jones, Schonlau and Welch,
// "Efficient global optimization of expensive black-box functions", 1998, equation 15. Precondition: a positive
// deviation.
inline double expected_improvement(double mean, double deviation, double best) {
  const double deviations = (best - mean) / deviation;
  return deviation * (deviations * normal_share_below(deviations) + normal_density(deviations));
}

}  // namespace wattune
