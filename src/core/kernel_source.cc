#include "wattune/core/kernel_source.h"

namespace wattune::inline v0_1 {

std::string_view to_string(Language language) {
  switch (language) {
    case Language::opencl: return "OpenCL";
    case Language::cuda: return "CUDA";
    case Language::cpp: return "C++";
    case Language::c: return "C";
  }
  return "unknown";
}

bool is_host_language(Language language) { return language == Language::cpp || language == Language::c; }

}  // namespace wattune
