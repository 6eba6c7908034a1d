// Functions of CUDA's runtime that kernels call: printf, malloc, free and the function behind assert.
#pragma once

#include <string_view>

#include "simulate/ptx/operation.h"

namespace wattune::inline v0_1::simulate::ptx {

// Returns the handler of a call of this function; nullptr if the runtime has no function of this name.
Handler runtime_function(std::string_view name);

}  // namespace wattune::simulate::ptx
