// Makes the error for a name that no strategy has.
#pragma once

#include <string>

#include "wattune/core/result.h"

namespace wattune::inline v0_1::search {

// Returns not_found, with the strategy that was probably meant: another tuner's name for it, or the nearest name.
Error unknown_strategy(const std::string& name);

}  // namespace wattune::search
