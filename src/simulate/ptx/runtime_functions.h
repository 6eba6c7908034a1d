// Functions that a kernel calls and CUDA's runtime has: printf, malloc, free and what assert calls.
#pragma once

#include <string_view>

#include "simulate/ptx/operation.h"

namespace wattune::simulate::ptx {

// The handler of a call of it; nullptr: the runtime has none of this name.
Handler runtime_function(std::string_view name);

}  // namespace wattune::simulate::ptx
