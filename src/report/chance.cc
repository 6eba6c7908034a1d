#include "report/chance.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace wattune::inline v0_1::report {

namespace {

constexpr double kWrongTables = 0.01;
constexpr double kNextToNothing = 0.025;  // smaller standard deviations of the share by chance are ignored

// Computes the continued fraction of the incomplete beta function by Lentz's method (Press et al., Numerical Recipes,
// 6.4).
double beta_fraction(double x, double a, double b) {
  constexpr double kTiny = 1e-300;
  constexpr int kMostTerms = 10'000;
  const auto kept_from_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1.0;
  double d = 1.0 / kept_from_zero(1.0 - (a + b) * x / (a + 1.0));
  double result = d;
  for (int i = 1; i < kMostTerms; ++i) {
    const double m = i;
    const double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
    const double before = result;
    for (const double term : {even, odd}) {
      d = 1.0 / kept_from_zero(1.0 + term * d);
      c = kept_from_zero(1.0 + term / c);
      result *= c * d;
    }
    if (std::abs(result - before) < 1e-12 * std::abs(result)) break;
  }
  return result;
}

// Returns the regularised incomplete beta function: the probability that a beta-distributed share is at most x.
double probability_up_to(double x, double a, double b) {
  if (x <= 0.0 || x >= 1.0) return x <= 0.0 ? 0.0 : 1.0;
  if (x > (a + 1.0) / (a + b + 2.0)) return 1.0 - probability_up_to(1.0 - x, b, a);
  const double logarithm = std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x);
  return std::exp(logarithm) * beta_fraction(x, a, b) / a;
}

}  // namespace

bool is_told_from_chance(const ExplainedShare& share, std::size_t shares) {
  if (share.freedom == 0 || share.left == 0) return false;
  const auto freedom = static_cast<double>(share.freedom);
  const auto left = static_cast<double>(share.left);
  if (std::sqrt(2.0 * freedom / (left * (freedom + left + 2.0))) < kNextToNothing) return true;
  const double all = share.explained + share.unexplained;
  if (!(all > 0.0)) return false;
  const double by_chance = probability_up_to(std::max(0.0, share.unexplained / all), left / 2.0, freedom / 2.0);
  return by_chance < kWrongTables / static_cast<double>(std::max<std::size_t>(1, shares));
}

}  // namespace wattune::report
