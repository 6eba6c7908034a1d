// From CUDA C++ to code that a device loads, with no device needed: by NVRTC in this process, or by nvcc as a program
// where the source asks for it.
#pragma once

#include <span>
#include <string>

#include "wattune/backend/device.h"

namespace wattune::backend::cuda {

// The compiler of this source and the headers that come with it, by version and file, as CompileTarget::compiler names
// it. unavailable: none. `driver_version` as cuDriverGetVersion counts.
Result<std::string> identify_compiler(const KernelSource& source, int driver_version);

// Image::resources is what the assembler tells of each kernel, which the logs are without; nothing when the result is
// PTX. compile_failed with the log, unavailable (no compiler, or none for this architecture), timeout. NVRTC cannot be
// interrupted, so that its limit is noticed when it is done; nvcc is ended.
Result<Image> compile(const CompileTarget& target, const KernelSource& source, std::span<const Macro> macros,
                      Nanoseconds limit);

// The two compilers.
Result<Image> compile_with_nvrtc(const CompileTarget& target, const KernelSource& source,
                                 std::span<const Macro> macros);
Result<Image> compile_with_nvcc(const CompileTarget& target, const KernelSource& source, std::span<const Macro> macros,
                                Nanoseconds limit);
// `nvcc --version`. unavailable.
Result<std::string> nvcc_version();

}  // namespace wattune::backend::cuda
