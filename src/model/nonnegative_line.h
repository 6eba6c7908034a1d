// NonnegativeLine: linear least squares of y = base + slope x, where neither may be negative.
#pragma once

namespace wattune::model {

class NonnegativeLine {
 public:
  void add(double x, double y) {
    n_ += 1.0;
    x_ += x;
    y_ += y;
    xx_ += x * x;
    xy_ += x * y;
  }

  struct Solution {
    double base = 0.0;
    double slope = 0.0;
  };
  // Where one would be negative, it is 0 and the other alone is fitted. Precondition: two x that differ, no y below 0.
  Solution solve() const {
    const double slope = (n_ * xy_ - x_ * y_) / (n_ * xx_ - x_ * x_);
    const double base = (y_ - slope * x_) / n_;
    if (slope < 0.0) return {y_ / n_, 0.0};
    if (base < 0.0) return {0.0, xy_ / xx_};
    return {base, slope};
  }

 private:
  double n_ = 0.0, x_ = 0.0, y_ = 0.0, xx_ = 0.0, xy_ = 0.0;
};

}  // namespace wattune::model
