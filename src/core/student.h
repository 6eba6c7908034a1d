// Student's distribution, for intervals of means of few numbers.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>

namespace wattune::inline v0_1 {

// Returns the share of the distribution that lies within sqrt(freedom) * tan(angle) on both sides of 0. Source:
// Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.7.3 and 26.7.4. Precondition: freedom > 0.
inline double student_share_within(double angle, std::size_t freedom) {
  const bool is_odd = freedom % 2 == 1;
  const double cosine = std::cos(angle);
  double term = is_odd ? cosine : 1.0;
  double sum = freedom == 1 ? 0.0 : term;
  for (std::size_t k = is_odd ? 3 : 2; k < freedom; k += 2) {
    term *= cosine * cosine * static_cast<double>(k - 1) / static_cast<double>(k);
    sum += term;
  }
  return is_odd ? 2.0 / std::numbers::pi * (angle + std::sin(angle) * sum) : std::sin(angle) * sum;
}

// Returns how many standard errors on each side of the mean hold its true value with this confidence. Finds the number
// by bisection. Preconditions: 0 < confidence < 1, freedom > 0.
inline double student_quantile(double confidence, std::size_t freedom) {
  double low = 0.0;
  double high = std::numbers::pi / 2.0;
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    (student_share_within(middle, freedom) < confidence ? low : high) = middle;
  }
  return std::sqrt(static_cast<double>(freedom)) * std::tan(low);
}

}  // namespace wattune
