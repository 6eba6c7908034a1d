// What a kernel is written in.
#pragma once

#include <string_view>

namespace wattune {

enum class Language { opencl, cuda, cpp, c };

std::string_view to_string(Language language);  // "OpenCL", "CUDA", "C++", "C"
// C and C++: functions of the host's processor, which have neither work-groups nor memory of their own.
bool is_host_language(Language language);

}  // namespace wattune
