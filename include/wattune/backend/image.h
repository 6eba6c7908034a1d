// Image: compiled code apart from any device. A compile process makes it for a CompileTarget, Device::load() takes it.
#pragma once

#include <map>
#include <string>

namespace wattune::backend {

// For what, and by which compiler. Equal targets make equal code of equal sources.
struct CompileTarget {
  std::string backend;       // "cuda"
  std::string architecture;  // "sm_90"
  int driver_version = 0;    // that the code is for, as the backend's driver counts; 0: any
  std::string compiler;      // with its version and build

  bool operator==(const CompileTarget&) const = default;
};

struct Image {
  std::string code;  // CUDA: a cubin, or PTX, which the driver compiles further
  std::string log;   // the compiler's words
  // Functions as the user wrote them, by the name of their symbol; only those whose symbol the compiler told.
  std::map<std::string, std::string> symbols;

  bool operator==(const Image&) const = default;
};

}  // namespace wattune::backend
