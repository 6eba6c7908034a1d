// A kernel with the one configuration that runs, as users name it: SPEC, SPEC@RESULTS or SPEC@NAME=VALUE,...
#pragma once

#include <string>

#include "wattune/core/configuration.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"

namespace wattune::cli {

// A spec with the configuration of it that runs.
struct ChosenKernel {
  KernelSpec spec;
  Configuration configuration;
};

// The best configuration of a journal or another result file, the one that is named, or else the default one. Clocks
// stay as the board has them. Errors name what is wrong with the spec or the configuration.
Result<ChosenKernel> choose_kernel(const std::string& text);

}  // namespace wattune::cli
