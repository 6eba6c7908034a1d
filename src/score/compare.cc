#include <algorithm>
#include <cmath>

#include "wattune/core/random.h"
#include "wattune/score/score.h"

namespace wattune::score {

namespace {

constexpr std::size_t kMaxExact = 20;  // spaces
constexpr double kRounding = 1e-12;    // sums of the same numbers in another order are equal

double sum_with_signs(const std::vector<double>& differences, std::uint64_t signs) {
  double sum = 0.0;
  for (std::size_t i = 0; i < differences.size(); ++i)
    sum += ((signs >> i) & 1) != 0 ? differences[i] : -differences[i];
  return sum;
}

double permutation_test(const std::vector<double>& differences, double sum) {
  const std::size_t all = std::size_t{1} << std::min(differences.size(), kMaxExact);
  Random random(1);
  std::size_t as_large = 0;
  for (std::size_t i = 0; i < all; ++i) {
    const std::uint64_t signs = differences.size() <= kMaxExact ? i : random.bits();
    if (std::abs(sum_with_signs(differences, signs)) >= std::abs(sum) - kRounding) ++as_large;
  }
  return static_cast<double>(as_large) / static_cast<double>(all);
}

}  // namespace

Comparison compare(const StrategyScore& strategy, const StrategyScore& reference) {
  std::vector<double> differences;
  Comparison result;
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
