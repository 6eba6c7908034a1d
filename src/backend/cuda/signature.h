// Reads the parameters of a kernel from its symbol or its source. CUDA's drivers report only the parameters' sizes, and
// some OpenCL drivers report nothing.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/compile/code_text.h"
#include "wattune/backend/image.h"
#include "wattune/core/kernel_source.h"

namespace wattune::inline v0_1::backend::cuda {

// Returns the parameters that the symbol of a C++ function spells; nullopt for any other symbol.
std::optional<std::vector<KernelParameter>> parameters_of_symbol(const std::string& symbol);

// Returns the parameters that the source declares with `__global__ void function(...)`, or in OpenCL C with `kernel
// void function(...)`. Returns nullopt if the declaration is not clear: the function is missing, lies within a
// conditional part, or is declared several times with different parameters. If a type is a macro whose definition is
// not clear, the type is unknown.
std::optional<std::vector<KernelParameter>> declared_parameters(const PlainCode& code, const std::string& function,
                                                                Language language);

// Returns the parameters that the symbol spells, or else those that `declared` has for it. Returns nothing if neither
// has any.
std::vector<KernelParameter> parameters_of(const std::string& symbol,
                                           const std::map<std::string, std::vector<KernelParameter>>& declared);

// Adds the sizes that the driver reports, one for each parameter. If the size of a parameter contradicts its type, only
// the sizes are kept.
std::vector<KernelParameter> with_sizes(std::vector<KernelParameter> parameters, std::span<const std::size_t> sizes);

}  // namespace wattune::backend::cuda
