// What the compilers get to see of a source: the tuning parameters, and names and options with them put in.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/backend/device.h"

namespace wattune::backend::cuda {

// How the source gets a parameter.
ParameterStyle style_of(const KernelSource& source, const std::string& parameter);

// The source behind its parameters: #define lines, or constexpr definitions where the source asks for them and the
// value is a number. Line numbers in messages stay those of the user's file.
std::string with_parameters(const KernelSource& source, std::span<const Macro> macros);

// `function` with parameters replaced by their values: "kernel<BLOCK, float>" becomes "kernel<32, float>".
std::string with_values(const std::string& function, std::span<const Macro> macros);

// Those of the source's functions that are instances of templates, which a compiler makes only when asked for them;
// with values as with_values(), each once.
std::vector<std::string> template_instances(const KernelSource& source, std::span<const Macro> macros);

// The name in messages: the file, or "kernel.cu".
std::string display_name(const KernelSource& source);

// The options of the source with folders of headers (-I) made absolute, seen from the folder of the file, and that
// folder itself and the toolkit's behind them.
std::vector<std::string> options_with_folders(const KernelSource& source);

// Whether an option of a compiler says what to compile for, perhaps in the option behind it.
bool names_architecture(std::string_view option);
// The source without options that do.
KernelSource without_architecture(KernelSource source);

// PTX or a cubin instead of CUDA C++, by the file's extension or, without a file, by how it begins.
enum class SourceKind { cuda_cpp, ptx, cubin };
SourceKind kind_of(const KernelSource& source);
SourceKind kind_of_text(std::string_view text);

}  // namespace wattune::backend::cuda
