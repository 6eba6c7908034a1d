// A kernel with the one configuration that runs, as users name it: SPEC, SPEC@RESULTS or SPEC@NAME=VALUE,...
#pragma once

#include <string>
#include <vector>

#include "wattune/core/configuration.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"

namespace wattune::cli {

// A spec with the configuration that runs.
struct ChosenKernel {
  std::string name;  // distinct among the kernels that run here
  KernelSpec spec;
  Configuration configuration;
};

// Chooses the best configuration of a journal or other result file, the configuration that is named, or else the
// default one. Clocks stay as the board has them. Errors name what is wrong with the spec or the configuration.
Result<ChosenKernel> choose_kernel(const std::string& text);
// Chooses the kernels that run here, with the sizes of their problems, KERNEL.SIZE=VALUE. Fails with invalid_argument
// if a size belongs to none of them.
Result<std::vector<ChosenKernel>> choose_kernels(const std::vector<std::string>& texts,
                                                 const std::vector<std::string>& sizes);

}  // namespace wattune::cli
