// Isotonic regression: the decreasing function that fits weighted points best in least squares.
//
// Pool adjacent violators (Ayer et al., Ann. Math. Statist. 26, 1955); between the points it is linear, beyond them
// constant.
#pragma once

#include <vector>

namespace wattune::score {

struct WeightedPoint {
  double x = 0.0;
  double y = 0.0;
  double weight = 1.0;
};

class DecreasingFit {
 public:
  // `points` ascending by x; equal x are averaged. Precondition: not empty, weights positive.
  explicit DecreasingFit(const std::vector<WeightedPoint>& points);

  // The values at ascending x.
  std::vector<double> at(const std::vector<double>& x) const;

 private:
  std::vector<double> x_;
  std::vector<double> y_;
};

}  // namespace wattune::score
