// Tests whether a share of a variance differs from the share that chance explains, so that only such shares are
// reported.
#pragma once

#include <cstddef>

namespace wattune::inline v0_1::report {

// The share of the variance of n results that a model explains. The model has `freedom` degrees of freedom. The `left`
// degrees remain to estimate chance: freedom + left < n.
struct ExplainedShare {
  double explained = 0.0;  // sum of squares that the model explains
  double unexplained = 0.0;
  std::size_t freedom = 0;
  std::size_t left = 0;
};

// True if chance alone hardly gives so large a share: fewer than one of a hundred tables with this many shares would
// have one (an F test). Also true if there are so many results that chance explains almost nothing.
bool is_told_from_chance(const ExplainedShare& share, std::size_t shares);

}  // namespace wattune::report
