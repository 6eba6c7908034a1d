// Chooses a kernel and the one configuration in which it runs, from a text that the user gave: SPEC, SPEC@RESULTS or
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
  std::string name;  // a name that no other kernel of this run has
  KernelSpec spec;
  Configuration configuration;
};

// Loads the spec, and chooses the best configuration of the result file, the named configuration, or the default one if
// the text names none. Clock parameters are ignored. Errors name what is wrong with the spec or the configuration.
Result<ChosenKernel> choose_kernel(const std::string& text);
// Chooses the kernels of this run. `sizes` are the sizes of the kernels' problems: KERNEL.SIZE=VALUE. Fails with
// invalid_argument if a size belongs to none of the kernels.
Result<std::vector<ChosenKernel>> choose_kernels(const std::vector<std::string>& texts,
                                                 const std::vector<std::string>& sizes);

}  // namespace wattune::cli
