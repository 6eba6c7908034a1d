// What the assembler says that kernels of a PTX text take.
#pragma once

#include <map>
#include <string>

#include "wattune/backend/device.h"
#include "wattune/core/result.h"

namespace wattune::cli {

// By the kernels' names, for an architecture such as "sm_90". unavailable: no ptxas is installed; compile_failed: it
// refuses the text, and says why.
Result<std::map<std::string, backend::KernelResources>> assemble(const std::string& text,
                                                                 const std::string& architecture);

}  // namespace wattune::cli
