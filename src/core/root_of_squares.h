// The root of a sum of squares, such as that of independent errors.
#pragma once

#include <cmath>

namespace wattune::inline v0_1 {

// Returns the root of the sum of two squares, neither of which overflows. std::hypot() would need GLIBC_2.35.
inline double root_of_squares(double one, double other) { return std::sqrt(one * one + other * other); }

}  // namespace wattune
