// MonotoneCubic: a smooth curve through points that never overshoots them (PCHIP).
//
// It is a piecewise cubic Hermite interpolation with the slopes of Fritsch and Butland (SIAM J. Sci. Stat. Comput. 5,
// 1984): the weighted harmonic mean of the neighbouring secants. The ends have the usual one-sided three-point slopes.
#pragma once

#include <vector>

namespace wattune::inline v0_1::score {

class MonotoneCubic {
 public:
  // Makes the curve. Precondition: there are at least two points, and x is strictly ascending.
  MonotoneCubic(std::vector<double> x, std::vector<double> y);

  // Returns the value at this x. Precondition: x.front() <= at <= x.back().
  double operator()(double at) const;

 private:
  std::vector<double> x_;
  std::vector<double> y_;
  std::vector<double> slopes_;
};

}  // namespace wattune::score
