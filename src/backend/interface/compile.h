// Compiles CUDA C++ without a device, and returns the resources of a kernel that the compiler reports. Any thread may
// call the functions.
//
//   WATTUNE_ASSIGN(CompileReport report, compile_cuda(spec.source, macros, "sm_90", limit));
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend {

// The result of compiling one kernel.
struct CompileReport {
  std::string function;  // the function's name as C++ spells it: "scale<32>"
  std::string symbol;    // symbol of the function in the binary
  std::string compiler;  // "NVRTC 13.0" or "nvcc"
  ImageKind kind = ImageKind::other;
  KernelResources resources;
  // The function's parameters with their sizes; nullopt if the binary does not list them.
  std::optional<std::vector<KernelParameter>> parameters;
  std::map<std::string, std::size_t> constants;  // bytes of each constant symbol of the binary
  std::string log;                               // the compiler's messages, without the lines that report resources
};

// Compiles the source in this process, for an architecture such as "sm_90" or for the one that the source's options
// name. Fails with compile_failed and the log, with not_found if the kernel is missing (naming those that exist), with
// unavailable or timeout. Fails with invalid_argument if the source is not CUDA C++, or if the compiler makes only PTX
// for the architecture.
Result<CompileReport> compile_cuda(const KernelSource& source, std::span<const Macro> macros,
                                   const std::string& architecture, Nanoseconds limit);

// Compiles the source to PTX, in this process. The target is the result of Device::compile_target(), unless the options
// of the source name an architecture. A source that is PTX is returned unchanged. Errors are those of compile_cuda();
// fails with invalid_argument if the source is machine code.
Result<Image> compile_ptx(CompileTarget target, KernelSource source, std::span<const Macro> macros, Nanoseconds limit);

// Resources that each kernel takes, by its name.
using AssembledKernels = std::map<std::string, KernelResources>;

// Assembles PTX with ptxas in this process, for an architecture such as "sm_90". Fails with unavailable if no ptxas is
// installed, with compile_failed and the message of ptxas if it refuses the text, or with timeout.
Result<AssembledKernels> assemble_ptx(const std::string& text, const std::string& architecture, Nanoseconds limit);

// Finds the symbol of an image that belongs to the function that the user named, as Program::kernel() does. Fails with
// not_found, naming the functions that exist, or with mismatch if several fit.
Result<std::string> find_symbol(const Image& image, const std::string& function, std::span<const Macro> macros,
                                const std::vector<std::string>& symbols);

// Returns the architecture that the source's own options name, which overrides any other; nullopt if no option names
// one.
std::optional<std::string> named_architecture(const KernelSource& source);

// Finds a program of CUDA's toolkit, such as nvcc. Looks in the toolkits that CUDA_HOME and CUDA_PATH name, in
// /usr/local/cuda, then on the path.
std::optional<std::filesystem::path> find_toolkit_program(const std::string& name);

}  // namespace wattune::backend
