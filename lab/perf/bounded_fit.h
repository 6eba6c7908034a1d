// Kernel Tuner's fit of power against clock (kernel_tuner.energy), for comparison: the best that its model and bounds
// allow.
//
// It fits P / P_min = min(p, 1 + c x v(x)^2 / 1000), with v = 1 + s max(0, x - t) / 1000 and x = f - f_min. The bounds
// are t from f_min to f_max on that shifted axis, s and c from 0 to 1, and p near the largest. The ridge is t + f_min.
// Its solver starts in one place and may stop elsewhere. Here the best fit within the bounds is searched for on a grid,
// with samples below the cap, so that p does not matter.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "model/interface/power_curve.h"

namespace wattune::inline v0_1::model {

inline Megahertz bounded_ridge(std::span<const PowerSample> samples) {
  const auto [first, last] = std::ranges::minmax(samples, {}, &PowerSample::clock);
  const double least = std::ranges::min(samples, {}, &PowerSample::power).power.value();
  const double lowest = first.clock.value();
  const double highest = last.clock.value();
  double best = 1e300;
  double best_threshold = lowest;
  for (double threshold = lowest; threshold <= highest; threshold += 1.0) {
    for (double scale = 0.0; scale <= 1.0; scale += 0.01) {
      double gg = 0.0, gy = 0.0, yy = 0.0;
      for (const PowerSample& sample : samples) {
        const double x = sample.clock.value() - lowest;
        const double y = sample.power.value() / least - 1.0;
        const double g = 1e-3 * x * std::pow(1.0 + 1e-3 * scale * std::max(0.0, x - threshold), 2);
        gg += g * g, gy += g * y, yy += y * y;
      }
      const double clock_scale = std::clamp(gy / gg, 0.0, 1.0);
      const double squares = yy - 2.0 * clock_scale * gy + clock_scale * clock_scale * gg;
      if (squares < best) best = squares, best_threshold = threshold;
    }
  }
  return Megahertz(best_threshold + lowest);
}

}  // namespace wattune::model
