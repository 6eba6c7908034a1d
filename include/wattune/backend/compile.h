// Compiling CUDA C++ without a device, and what the compiler says a kernel takes. Any thread may call.
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

namespace wattune::backend {

struct CompileReport {
  std::string function;  // as C++ spells it: "scale<32>"
  std::string symbol;    // of the function in the binary
  std::string compiler;  // "NVRTC 13.0" or "nvcc"
  ImageKind kind = ImageKind::other;
  KernelResources resources;
  // The function's, with their sizes; none if the binary does not tell.
  std::optional<std::vector<KernelParameter>> parameters;
  std::map<std::string, std::size_t> constants;  // bytes of each constant symbol of the binary
  std::string log;  // the compiler's words, without the lines that the resources were read from
};

// Compiles the source for an architecture such as "sm_90", or the one that its options name, in this process.
// compile_failed with the log; not_found when the kernel is not there, naming those that are; invalid_argument for what
// is no CUDA C++, and for what the compiler makes only PTX for; unavailable; timeout.
Result<CompileReport> compile_cuda(const KernelSource& source, std::span<const Macro> macros,
                                   const std::string& architecture, Nanoseconds limit);

// Compiles the source to PTX, in this process, for a target that Device::compile_target() told, or for the architecture
// that its options name; a source that is PTX is taken as it is. As compile_cuda(); invalid_argument: machine code.
Result<Image> compile_ptx(CompileTarget target, KernelSource source, std::span<const Macro> macros, Nanoseconds limit);

// Resources that each kernel takes, by its name.
using AssembledKernels = std::map<std::string, KernelResources>;

// Assembles PTX with ptxas, for an architecture such as "sm_90", in this process. unavailable: no ptxas is installed;
// compile_failed: it refuses the text, and says why; timeout.
Result<AssembledKernels> assemble_ptx(const std::string& text, const std::string& architecture, Nanoseconds limit);

// Which of these symbols of an image is the function that the user named, as Program::kernel() finds it. not_found,
// naming the functions that exist; mismatch: several fit.
Result<std::string> find_symbol(const Image& image, const std::string& function, std::span<const Macro> macros,
                                const std::vector<std::string>& symbols);

// The architecture that the source's own options name, which goes before any other.
std::optional<std::string> named_architecture(const KernelSource& source);

// A program of CUDA's toolkit, such as nvcc: in the toolkits that CUDA_HOME and CUDA_PATH name, in /usr/local/cuda, or
// on the path.
std::optional<std::filesystem::path> find_toolkit_program(const std::string& name);

}  // namespace wattune::backend
