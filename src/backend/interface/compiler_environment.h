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

// Returns the set variables that the source's compiler reads. They give options, folders of headers, or the compiler
// itself. Returns nothing for NVRTC and OpenCL's drivers, which read no such variables.
std::vector<EnvironmentVariable> compiler_environment(const KernelSource& source);

}  // namespace wattune::backend
