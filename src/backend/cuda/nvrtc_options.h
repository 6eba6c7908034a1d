// Options of nvcc as NVRTC spells them.
#pragma once

#include <string>
#include <vector>

namespace wattune::inline v0_1::backend::cuda {

// Returns nvcc's options as NVRTC takes them. An option and its value become one, and an option that does not change
// the device's code is left out (-O3, which is for the host's). -gencode becomes the architecture of its code; among
// several architectures `wanted` counts, or else the first. An option without an equivalent stays, for NVRTC to refuse.
std::vector<std::string> nvrtc_options(const std::vector<std::string>& options, const std::string& wanted);

// Returns the architecture that the value of an option such as -gencode means: "sm_86" for
// "arch=compute_86,code=[sm_86,compute_86]"; a plain architecture as it is.
std::string architecture_in(const std::string& value);

}  // namespace wattune::backend::cuda
