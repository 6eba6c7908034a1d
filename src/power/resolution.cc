#include "power/resolution.h"

#include <algorithm>
#include <cmath>

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

}  // namespace wattune::power
