// Tests whether a share of a variance differs from the share that chance explains. So only shares that do are reported.
#pragma once

#include <cstddef>

namespace wattune::inline v0_1::report {

// The share of the variance of n results that a model explains. The model has `freedom` degrees of freedom. From the
// remaining `left` degrees, chance is estimated, where freedom + left < n.
struct ExplainedShare {
  double explained = 0.0;  // sum of squares that the model explains
  double unexplained = 0.0;
  std::size_t freedom = 0;
  std::size_t left = 0;
};

// True if the share is hardly the result of chance alone. By chance, fewer than one of a hundred tables with `shares`
// shares would contain so large a share (an F test). Also true if there are so many results that chance explains almost
// nothing.
bool is_told_from_chance(const ExplainedShare& share, std::size_t shares);

}  // namespace wattune::report
