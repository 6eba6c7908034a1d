// Isotonic regression: the decreasing function that fits weighted points best in least squares. The algorithm pools
// adjacent violators (Ayer et al., Ann. Math. Statist. 26, 1955). The function is linear between the points and
// constant beyond them.
#pragma once

#include <vector>

namespace wattune::inline v0_1::score {

struct WeightedPoint {
  double x = 0.0;
  double y = 0.0;
  double weight = 1.0;
};

class DecreasingFit {
 public:
  // Fits the points, which ascend by x; points of equal x are averaged. Precondition: there is a point, and all weights
  // are positive.
  explicit DecreasingFit(const std::vector<WeightedPoint>& points);

  // Returns the value of the function at each `x`. Precondition: the numbers of `x` ascend.
  std::vector<double> at(const std::vector<double>& x) const;

 private:
  std::vector<double> x_;
  std::vector<double> y_;
};

}  // namespace wattune::score
