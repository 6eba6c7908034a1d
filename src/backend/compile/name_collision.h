// A likely cause of code that does not compile: a parameter, which is a macro, has the name of something in the code.
#pragma once

#include <span>
#include <string>

#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend {

// Returns the first place where a parameter that is a macro replaces a declared name (`int n`) or a member
// (`blockIdx.x`); empty if there is none.
std::string name_collision(const KernelSource& source, std::span<const Macro> macros);

}  // namespace wattune::backend
