// From CUDA C++ to code that a device loads, with no device needed: by NVRTC in this process, or by nvcc as a program
// where the source asks for it.
#pragma once

#include <map>
#include <span>
#include <string>

#include "wattune/backend/device.h"

namespace wattune::backend::cuda {

// What a device loads.
struct Image {
  std::string code;  // a cubin, or PTX, which the driver compiles further
  std::string log;   // the compiler's words
  // Functions as the user wrote them, by the name of their symbol; only those whose symbol the compiler told.
  std::map<std::string, std::string> symbols;
};

struct Target {
  std::string architecture;  // "sm_90"
  int driver_version = 0;    // whose code the image is for, as cuDriverGetVersion counts; 0: any
};

// compile_failed with the log, unavailable (no compiler, or none for this architecture), timeout. NVRTC cannot be
// interrupted, so that its limit is noticed when it is done; nvcc is ended.
Result<Image> compile(const KernelSource& source, std::span<const Macro> macros, const Target& target,
                      Nanoseconds limit);

// The two compilers.
Result<Image> compile_with_nvrtc(const KernelSource& source, std::span<const Macro> macros, const Target& target);
Result<Image> compile_with_nvcc(const KernelSource& source, std::span<const Macro> macros, const Target& target,
                                Nanoseconds limit);

}  // namespace wattune::backend::cuda
