// The languages that kernels are written in.
#pragma once

#include <string_view>

namespace wattune {

enum class Language { opencl, cuda, cpp, c };

std::string_view to_string(Language language);  // "OpenCL", "CUDA", "C++", "C"
// Tells whether it is C or C++, whose kernels are functions of the host's processor. These have neither work-groups nor
// memory of their own.
// their own.
bool is_host_language(Language language);

}  // namespace wattune
