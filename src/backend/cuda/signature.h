// What parameters a kernel has, from its symbol or from its source: CUDA's drivers tell no more than their sizes, and
// some of OpenCL's nothing of them.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/code_text.h"
#include "wattune/backend/image.h"
#include "wattune/core/kernel_source.h"

namespace wattune::backend::cuda {

// As the symbol of a C++ function spells them; none of another's.
std::optional<std::vector<KernelParameter>> parameters_of_symbol(const std::string& symbol);

// As the source declares them at `__global__ void function(...)`, in OpenCL C at `kernel void function(...)`. None
// where that is not clear: it is not there, within a conditional part, or there several times with different
// parameters. What a macro of the source stands for is unknown.
std::optional<std::vector<KernelParameter>> declared_parameters(const PlainCode& code, const std::string& function,
                                                                Language language);

// By the symbol, or else as `declared` has them; empty where neither tells.
std::vector<KernelParameter> parameters_of(const std::string& symbol,
                                           const std::map<std::string, std::vector<KernelParameter>>& declared);

// The parameters with the sizes that the driver tells, of which there is one for each. Those that contradict a size are
// not what the kernel has: then the sizes are all that is known.
std::vector<KernelParameter> with_sizes(std::vector<KernelParameter> parameters, std::span<const std::size_t> sizes);

}  // namespace wattune::backend::cuda
