#include "score/monotone_cubic.h"

#include <algorithm>
#include <cmath>

namespace wattune::inline v0_1::score {

namespace {

// Returns the slope at an end, from the two widths and secants next to it, limited so that the curve does not
// overshoot.
double end_slope(double h0, double h1, double d0, double d1) {
  const double slope = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
  if (slope * d0 <= 0) return 0;
  if (d0 * d1 <= 0 && std::abs(slope) > 3 * std::abs(d0)) return 3 * d0;
  return slope;
}

}  // namespace

MonotoneCubic::MonotoneCubic(std::vector<double> x, std::vector<double> y)
    : x_(std::move(x)), y_(std::move(y)), slopes_(x_.size()) {
  const std::size_t last = x_.size() - 1;
  std::vector<double> h(last);  // widths
  std::vector<double> d(last);  // secants
  for (std::size_t i = 0; i < last; ++i) {
    h[i] = x_[i + 1] - x_[i];
    d[i] = (y_[i + 1] - y_[i]) / h[i];
  }
  if (last == 1) {
    slopes_ = {d[0], d[0]};
    return;
  }
  slopes_.front() = end_slope(h[0], h[1], d[0], d[1]);
  slopes_.back() = end_slope(h[last - 1], h[last - 2], d[last - 1], d[last - 2]);
  for (std::size_t i = 1; i < last; ++i) {
    if (d[i - 1] * d[i] <= 0) continue;
    const double w1 = 2 * h[i] + h[i - 1];
    const double w2 = h[i] + 2 * h[i - 1];
    slopes_[i] = (w1 + w2) / (w1 / d[i - 1] + w2 / d[i]);
  }
}

double MonotoneCubic::operator()(double at) const {
  const auto above = std::upper_bound(x_.begin() + 1, x_.end() - 1, at);
  const auto i = static_cast<std::size_t>(above - x_.begin()) - 1;
  const double h = x_[i + 1] - x_[i];
  const double t = (at - x_[i]) / h;
  const double u = 1 - t;
  return y_[i] * (1 + 2 * t) * u * u + h * slopes_[i] * t * u * u + y_[i + 1] * (1 + 2 * u) * t * t -
         h * slopes_[i + 1] * u * t * t;
}

}  // namespace wattune::score
