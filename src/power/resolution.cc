#include "power/resolution.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace wattune::inline v0_1::power {

Watts resolution_of(const Trace<Watts>& power) {
  for (const double step : {1.0, 0.1}) {
    const auto is_whole = [&](const Change<Watts>& change) {
      const double steps = change.value.value() / step;
      return std::abs(steps - std::round(steps)) < 1e-6;
    };
    if (std::ranges::all_of(power.changes, is_whole)) return Watts(step);
  }
  return {};
}

// Computes the amplitude of the error over all levels: for noise of s steps it is exp(-2 pi^2 s^2) / pi, and a bit more
// for its harmonics. The noise is the sensor's own. If successive readings differ by more than those of a constant
// level between two steps would, these differences show the noise, too.
Watts rounding_of(const Trace<Watts>& power, Nanoseconds begin, Nanoseconds end) {
  constexpr double kBetweenTwoSteps = 0.4;  // variance in squared steps; at a level between two steps without noise it
                                            // is a quarter at most
  constexpr double kLeastNoise = 0.1;       // noise in steps
  constexpr double kHarmonics = 1.3;
  const Watts step = resolution_of(power);
  const SensorTraits& traits = power.sensor.traits;
  double n = 0.0, sum = 0.0, squares = 0.0;
  std::optional<double> last;
  for (const Change<Watts>& change : power.changes) {
    if (change.at < begin || change.at > end || !(step > Watts())) continue;
    const double steps = change.value / step;
    n += 1.0;
    sum += steps;
    squares += std::pow(steps - last.value_or(steps), 2);
    last = steps;
  }
  const double readings = traits.period > Nanoseconds() ? (end - begin) / traits.period : n;
  const double apart = squares / 2.0 / std::max(1.0, readings);
  double variance = n > 0.0 ? std::pow(traits.noise * sum / n, 2) : 0.0;
  if (apart > kBetweenTwoSteps) variance = std::max(variance, apart - 1.0 / 12.0);
  if (variance < kLeastNoise * kLeastNoise) return step / 2.0;
  constexpr double kPi = std::numbers::pi;
  return kHarmonics / kPi * std::exp(-2.0 * kPi * kPi * variance) * step;
}

double variance_of_weights(const Trace<Watts>& power, Nanoseconds begin, Nanoseconds end) {
  const Nanoseconds period = power.sensor.traits.period;
  if (!(period > Nanoseconds())) return 0.0;
  double squares = 0.0;
  std::optional<Nanoseconds> last;
  for (const Change<Watts>& change : power.changes) {
    if (change.at < begin || change.at > end) continue;
    const double longer = (change.at - last.value_or(change.at - period)) / period - 1.0;
    squares += std::pow(std::min(longer, 1.0), 2);
    last = change.at;
  }
  return squares / ((end - begin) / period);
}

}  // namespace wattune::power
