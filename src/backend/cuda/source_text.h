// The source text that compilers see, with the tuning parameters put in, and the names and options that go with it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend::cuda {

// Returns how the source gets a parameter.
ParameterStyle style_of(const KernelSource& source, const std::string& parameter);

// Returns the source behind its parameters: #define lines, or constexpr definitions if the source asks for them and the
// value is a number. Line numbers in messages stay those of the user's file.
std::string with_parameters(const KernelSource& source, std::span<const Macro> macros);

// Replaces parameters in `function` by their values: "kernel<BLOCK, float>" becomes "kernel<32, float>".
std::string with_values(const std::string& function, std::span<const Macro> macros);

// Returns the source's functions that are instances of templates, which a compiler makes only on request. Their
// parameters are replaced as by with_values(); each appears once.
std::vector<std::string> template_instances(const KernelSource& source, std::span<const Macro> macros);

// Returns the name of the source in messages: the file, or "kernel.cu".
std::string display_name(const KernelSource& source);

// Returns the options of the source with folders of headers (-I) made absolute, resolved from the folder of the file.
// That folder and the toolkit's folders are added at the end.
std::vector<std::string> options_with_folders(const KernelSource& source);

// Tells whether a compiler option names the target architecture, perhaps in the option behind it.
bool names_architecture(std::string_view option);
// Returns the source without such options.
KernelSource without_architecture(KernelSource source);

// PTX or a cubin instead of CUDA C++, told by the file's extension or, without a file, by the beginning of the text.
enum class SourceKind { cuda_cpp, ptx, cubin };
SourceKind kind_of(const KernelSource& source);
SourceKind kind_of_text(std::string_view text);

}  // namespace wattune::backend::cuda
