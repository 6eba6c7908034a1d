// Tells shares of a variance from what chance explains, so that a share that it may have made is not given.
#pragma once

#include <cstddef>

namespace wattune::report {

// A share of the variance of n results that `freedom` numbers explain, of `left` that are left to tell what chance
// does: freedom + left < n.
struct ExplainedShare {
  double explained = 0.0;  // sums of squares
  double unexplained = 0.0;
  std::size_t freedom = 0;
  std::size_t left = 0;
};

// True if chance hardly explains as much: in fewer than one of a hundred tables of so many shares (an F test), or where
// there are so many results that it explains next to nothing.
bool is_told_from_chance(const ExplainedShare& share, std::size_t shares);

}  // namespace wattune::report
