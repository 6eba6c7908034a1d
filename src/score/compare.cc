#include <algorithm>
#include <cmath>

#include "score/interface/score.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::score {

namespace {

constexpr std::size_t kMaxExact = 20;  // largest number of spaces for an exact test
constexpr double kRounding = 1e-12;    // tolerance for sums of the same numbers in another order

// Returns the sum of the differences with the signs that `next` gives, 64 at a time. The signs are random or from a
// list.
template <typename Next>
double sum_with_signs(const std::vector<double>& differences, Next next) {
  double sum = 0.0;
  std::uint64_t signs = 0;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    signs = i % 64 == 0 ? next() : signs >> 1;
    sum += (signs & 1) != 0 ? differences[i] : -differences[i];
  }
  return sum;
}

double permutation_test(const std::vector<double>& differences, double sum) {
  const bool exact = differences.size() <= kMaxExact;
  const std::size_t choices = std::size_t{1} << std::min(differences.size(), kMaxExact);
  Random random(1);
  // Drawn choices of signs hardly ever include the observed one, so it is added. Then p is never 0.
  std::size_t as_large = exact ? 0 : 1;
  const std::size_t all = choices + as_large;
  for (std::size_t i = 0; i < choices; ++i) {
    const double other = sum_with_signs(differences, [&] { return exact ? i : random.bits(); });
    if (std::abs(other) >= std::abs(sum) - kRounding) ++as_large;
  }
  return static_cast<double>(as_large) / static_cast<double>(all);
}

}  // namespace

StrategyComparison compare(const StrategyScore& strategy, const StrategyScore& reference) {
  std::vector<double> differences;
  StrategyComparison result;
  double sum = 0.0;
  for (std::size_t p = 0; p < strategy.spaces.size(); ++p) {
    differences.push_back(strategy.spaces[p].score.value - reference.spaces[p].score.value);
    sum += differences.back();
    if (differences.back() > 0.0) ++result.higher;
  }
  result.difference = sum / static_cast<double>(differences.size());
  result.p = permutation_test(differences, sum);
  return result;
}

}  // namespace wattune::score
