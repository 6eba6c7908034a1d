// Chooses a kernel and the one configuration in which it runs, from a text of the user: SPEC, SPEC@RESULTS or
// SPEC@NAME=VALUE,...
#pragma once

#include <string>
#include <vector>

#include "wattune/core/configuration.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"

namespace wattune::cli {

// A spec and the configuration in which it runs.
struct ChosenKernel {
  std::string name;  // distinct among the kernels of this run
  KernelSpec spec;
  Configuration configuration;
};

// Loads the spec, and chooses the best configuration of the result file, the named configuration, or else the default
// one. Clock parameters are ignored. Errors name what is wrong with the spec or the configuration.
Result<ChosenKernel> choose_kernel(const std::string& text);
// Chooses the kernels of this run. `sizes` are the sizes of their problems: KERNEL.SIZE=VALUE. Fails with
// invalid_argument if a size belongs to none of them.
Result<std::vector<ChosenKernel>> choose_kernels(const std::vector<std::string>& texts,
                                                 const std::vector<std::string>& sizes);

}  // namespace wattune::cli
