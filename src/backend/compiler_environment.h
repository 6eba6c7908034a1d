// What compilers take from the environment, beside what a source's options say.
#pragma once

#include <string>
#include <vector>

#include "wattune/core/kernel_source.h"

namespace wattune::backend {

struct EnvironmentVariable {
  std::string name;
  std::string value;
};

// The variables that are set and that the source's compiler heeds: options, folders of headers, and the compiler that a
// variable names. None for NVRTC and OpenCL's drivers, which read no environment that users set for compilers.
std::vector<EnvironmentVariable> compiler_environment(const KernelSource& source);

}  // namespace wattune::backend
