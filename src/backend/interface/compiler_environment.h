// Lists the environment variables that compilers read in addition to a source's options.
#pragma once

#include <string>
#include <vector>

#include "wattune/core/kernel_source.h"

namespace wattune::inline v0_1::backend {

// A variable of this process's environment.
struct EnvironmentVariable {
  std::string name;
  std::string value;
};

// Returns the variables that are set and that the source's compiler heeds: options, folders of headers, and the
// compiler that a variable names. Empty for NVRTC and OpenCL's drivers, which read no such variables.
std::vector<EnvironmentVariable> compiler_environment(const KernelSource& source);

}  // namespace wattune::backend
