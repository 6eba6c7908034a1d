// Compiles CUDA C++ to code that a device loads, without a device. NVRTC compiles it in this process; if the source
// asks for nvcc, that program compiles it.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend::cuda {

// Returns the version and file of the source's compiler and of its headers, in the form of CompileTarget::compiler.
// `driver_version` is a number as cuDriverGetVersion gives it. Fails with unavailable if there is no compiler.
Result<std::string> identify_compiler(const KernelSource& source, std::optional<int> driver_version);

// Compiles a source. Image::resources has the assembler's figures for each kernel, which are taken out of the log; the
// map is empty if the result is PTX. Fails with compile_failed and the log, with unavailable (no compiler, or none for
// this architecture), or with timeout. NVRTC cannot be interrupted, so an exceeded limit is noticed only when NVRTC is
// done; nvcc is killed at the limit.
Result<Image> compile(const CompileTarget& target, const KernelSource& source, std::span<const Macro> macros,
                      Nanoseconds limit);

// The next two functions compile with NVRTC and with nvcc.

Result<Image> compile_with_nvrtc(const CompileTarget& target, const KernelSource& source,
                                 std::span<const Macro> macros);
Result<Image> compile_with_nvcc(const CompileTarget& target, const KernelSource& source, std::span<const Macro> macros,
                                Nanoseconds limit);
// Returns the output of `nvcc --version`. Fails with unavailable.
Result<std::string> nvcc_version();

}  // namespace wattune::backend::cuda
