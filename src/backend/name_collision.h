// A likely cause of code that does not compile: a parameter, which is a macro, has the name of something in it.
#pragma once

#include <span>
#include <string>

#include "wattune/backend/device.h"

namespace wattune::backend {

// Names the first place where a parameter that is a macro replaces what the source declares (`int n`) or a member
// (`blockIdx.x`); empty without one.
std::string name_collision(const KernelSource& source, std::span<const Macro> macros);

}  // namespace wattune::backend
