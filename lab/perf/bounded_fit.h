// Kernel Tuner's fit of power against clock (kernel_tuner.energy), with which ours is compared. It is the best fit that
// the model of Kernel Tuner and its bounds allow.
//
// The model is P / P_min = min(p, 1 + c x v(x)^2 / 1000), with v = 1 + s max(0, x - t) / 1000 and x = f - f_min. Kernel
// Tuner bounds t by f_min and f_max although x is shifted, s and c by 0 and 1, and p by values near the largest power.
// The ridge is the clock t + f_min.
//
// Kernel Tuner's solver starts in one place and may miss the best fit. Here the best fit within the bounds is searched
// for on a grid. Only samples below the power cap are fitted, so that p does not matter.
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
