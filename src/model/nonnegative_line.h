// NonnegativeLine fits y = base + slope x by linear least squares. Neither base nor slope may be negative.
#pragma once

#include <algorithm>

namespace wattune::inline v0_1::model {

class NonnegativeLine {
 public:
  void add(double x, double y, double weight = 1.0) {
    n_ += weight;
    x_ += weight * x;
    y_ += weight * y;
    xx_ += weight * x * x;
    xy_ += weight * x * y;
    yy_ += weight * y * y;
  }

  struct Solution {
    double base = 0.0;
    double slope = 0.0;
  };
  // Solves for the line. If base or slope would be negative, that one is set to 0 and only the other is fitted.
  // Preconditions: there are two different x, and no y is below 0.
  Solution solve() const {
    const double slope = (n_ * xy_ - x_ * y_) / (n_ * xx_ - x_ * x_);
    const double base = (y_ - slope * x_) / n_;
    if (slope < 0.0) return {y_ / n_, 0.0};
    if (base < 0.0) return {0.0, xy_ / xx_};
    return {base, slope};
  }

  // Returns the weighted sum of squared errors of a line.
  double squares(const Solution& line) const {
    const double left_of_y = yy_ - 2.0 * (line.base * y_ + line.slope * xy_);
    const double of_line = line.base * (line.base * n_ + 2.0 * line.slope * x_) + line.slope * line.slope * xx_;
    return std::max(0.0, left_of_y + of_line);
  }

  // Returns the square of the shift that the line may have at x per unit of additional squared error. It is (1, x)
  // times the inverse of the normal matrix times (1, x).
  double leverage(double x) const { return (xx_ - 2.0 * x * x_ + x * x * n_) / (n_ * xx_ - x_ * x_); }

 private:
  double n_ = 0.0, x_ = 0.0, y_ = 0.0, xx_ = 0.0, xy_ = 0.0, yy_ = 0.0;
};

}  // namespace wattune::model
