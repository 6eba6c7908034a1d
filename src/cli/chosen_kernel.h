// A kernel with the one configuration that runs, as users name it: SPEC, SPEC@RESULTS or SPEC@NAME=VALUE,...
#pragma once

#include <span>
#include <string>
#include <vector>

#include "wattune/core/configuration.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"

namespace wattune::cli {

// A spec with the configuration of it that runs.
struct ChosenKernel {
  std::string name;  // its own among those that run here
  KernelSpec spec;
  Configuration configuration;
};

// The best configuration of a journal or another result file, the one that is named, or else the default one. Clocks
// stay as the board has them. Errors name what is wrong with the spec or the configuration.
Result<ChosenKernel> choose_kernel(const std::string& text);
// Kernels that run here, with sizes of their problems, KERNEL.SIZE=VALUE. invalid_argument: a size is of none of them.
Result<std::vector<ChosenKernel>> choose_kernels(const std::vector<std::string>& texts,
                                                 const std::vector<std::string>& sizes);

// A name of its own for each: the second of the same is "gemm#2".
std::string name_of_place(std::span<const std::string> names, std::size_t place);

}  // namespace wattune::cli
