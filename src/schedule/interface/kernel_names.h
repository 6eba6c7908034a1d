// The names of kernels that run together.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace wattune::inline v0_1::schedule {

// Returns a unique name for the kernel at a place: the second kernel named "gemm" is "gemm#2".
std::string name_of_place(std::span<const std::string> names, std::size_t place);

}  // namespace wattune::schedule
