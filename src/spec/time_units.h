// The units in which functions of the host may return their time (`returned_time` of [kernel]).
#pragma once

#include <array>
#include <string_view>

#include "wattune/core/units.h"

namespace wattune::inline v0_1::spec {

struct TimeUnit {
  std::string_view name;
  Nanoseconds length;
};

inline constexpr std::array kTimeUnits{TimeUnit{"s", Nanoseconds(1e9)}, TimeUnit{"ms", Nanoseconds(1e6)},
                                       TimeUnit{"us", Nanoseconds(1e3)}, TimeUnit{"ns", Nanoseconds(1.0)}};

}  // namespace wattune::spec
