// Units of time for tests.
#pragma once

#include "wattune/core/units.h"

namespace wattune::inline v0_1::dynamic {

constexpr Nanoseconds ms(double count) { return nanoseconds_from_ms(count); }
constexpr Nanoseconds us(double count) { return Nanoseconds(count * 1e3); }

}  // namespace wattune::dynamic
