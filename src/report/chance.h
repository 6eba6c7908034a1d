// Tests whether a share of a variance differs from the share that chance explains, so that only such shares are
// reported.
#pragma once

#include <cstddef>

namespace wattune::inline v0_1::report {

// The share of the variance of n results that a model explains. The model has `freedom` degrees of freedom. The `left`
// degrees remain to estimate chance: freedom + left < n.
struct ExplainedShare {
  double explained = 0.0;  // sums of squares
  double unexplained = 0.0;
  std::size_t freedom = 0;
  std::size_t left = 0;
};

// True if chance hardly explains as much: fewer than one of a hundred tables of this many shares would show it by
// chance (an F test). Also true if there are so many results that chance explains next to nothing.
bool is_told_from_chance(const ExplainedShare& share, std::size_t shares);

}  // namespace wattune::report
