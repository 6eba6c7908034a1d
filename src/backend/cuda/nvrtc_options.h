// Translates options of nvcc to NVRTC's spelling.
#pragma once

#include <string>
#include <vector>

namespace wattune::inline v0_1::backend::cuda {

// Returns nvcc's options as NVRTC takes them. An option and its value become one, and options that only change the
// host's code (-O3) are left out. -gencode becomes the architecture of its code; among several architectures `wanted`
// is taken, or the first one if `wanted` is not among them. An option without an equivalent is kept, and NVRTC will
// refuse it.
std::vector<std::string> nvrtc_options(const std::vector<std::string>& options, const std::string& wanted);

// Returns the architecture in the value of an option such as -gencode: "sm_86" for
// "arch=compute_86,code=[sm_86,compute_86]"; a plain architecture as it is.
std::string architecture_in(const std::string& value);

}  // namespace wattune::backend::cuda
