#include "wattune/backend/image.h"

namespace wattune::inline v0_1::backend {

std::string_view to_string(ImageKind kind) {
  switch (kind) {
    case ImageKind::other: return "other";
    case ImageKind::ptx: return "ptx";
    case ImageKind::cubin: return "cubin";
    case ImageKind::opencl_binary: return "opencl_binary";
  }
  return {};
}

}  // namespace wattune::backend
