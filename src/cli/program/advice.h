// Translates the library's advice to C++ callers into options of the program.
#pragma once

#include "wattune/core/error.h"

namespace wattune::cli {

// Returns the error with advice for users of the program: options instead of the members that a C++ caller would set.
Error with_options(Error error);

}  // namespace wattune::cli
