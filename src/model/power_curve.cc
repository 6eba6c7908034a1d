#include "model/interface/power_curve.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace wattune::inline v0_1::model {

namespace {

constexpr double kEqualRatio = 0.99;  // a ratio of clocks or powers from this on counts as 1
constexpr int kHalvings = 60;         // bisections after which doubles cannot tell the ends of the interval apart

bool is_capped(const PowerSample& sample, std::optional<Watts> limit) {
  return sample.capped || (sample.asked && sample.clock < kEqualRatio * *sample.asked) ||
         (limit && sample.power >= kEqualRatio * *limit);
}

}  // namespace

double PowerCurve::voltage(Megahertz clock) const { return 1.0 + beta * std::max(0.0, (clock - tau).value()); }

Watts PowerCurve::of_load(Megahertz clock) const {
  const double v = voltage(clock);
  return Watts(alpha * clock.value() * v * v);
}

Watts PowerCurve::at(Megahertz clock) const { return base + of_load(clock); }

// Finds the root by bisection: the derivative of P / f grows with f, and v >= 1 bounds the root from above.
Megahertz PowerCurve::ridge() const {
  const double growth = 2.0 * alpha * beta;
  if (growth <= 0.0) return Megahertz(std::numeric_limits<double>::infinity());
  double low = tau.value();
  if (growth * low * low >= base.value()) return tau;
  double high = std::sqrt(base.value() / growth);
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2.0;
    (growth * voltage(Megahertz(middle)) * middle * middle < base.value() ? low : high) = middle;
  }
  return Megahertz(high);
}

std::vector<PowerSample> with_capped_marked(std::vector<PowerSample> samples, std::optional<Watts> limit) {
  for (PowerSample& sample : samples) sample.capped = is_capped(sample, limit);
  return samples;
}

}  // namespace wattune::model
