// The library's advice in words of the program.
#pragma once

#include "wattune/core/error.h"

namespace wattune::cli {

// Returns the error with the options of the program in its advice, in the place of what a C++ caller would set.
Error with_options(Error error);

}  // namespace wattune::cli
