// A load and a time for tests of simulated boards.
#pragma once

#include "wattune/core/units.h"
#include "wattune/simulate/board_model.h"

namespace wattune::simulate {

inline constexpr Activity kFull{.core = 1.0};
inline constexpr Nanoseconds kSecond{1e9};

}  // namespace wattune::simulate
