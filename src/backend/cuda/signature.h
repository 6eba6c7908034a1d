// What parameters a CUDA kernel has, from its symbol or from its source, where no driver tells more than their sizes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/backend/image.h"

namespace wattune::backend::cuda {

// As the symbol of a C++ function spells them; none of another's.
std::optional<std::vector<KernelParameter>> parameters_of_symbol(const std::string& symbol);

// As the source declares them at `__global__ void function(...)`. None where that is not clear: it is not there, within
// a conditional part, or there several times with different parameters. What a macro of the source stands for is
// unknown.
std::optional<std::vector<KernelParameter>> declared_parameters(std::string_view source, const std::string& function);

// The parameters with the sizes that the driver tells, of which there is one for each. Those that contradict a size are
// not what the kernel has: then the sizes are all that is known.
std::vector<KernelParameter> with_sizes(std::vector<KernelParameter> parameters, std::span<const std::size_t> sizes);

}  // namespace wattune::backend::cuda
