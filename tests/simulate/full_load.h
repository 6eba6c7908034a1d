// A load and a time for tests of simulated boards.
#pragma once

#include "simulate/interface/board_model.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::simulate {

inline constexpr Activity kFull{.core = 1.0};
inline constexpr Nanoseconds kSecond{1e9};

}  // namespace wattune::simulate
