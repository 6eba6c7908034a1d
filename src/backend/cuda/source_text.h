// Prepares the text that CUDA's compilers get: the text has the tuning parameters in front. Also prepares the names and
// options that belong to that text.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend::cuda {

// Returns the style in which the source gets a parameter.
ParameterStyle style_of(const KernelSource& source, const std::string& parameter);

// Returns the source with its parameters in front: #define lines, or constexpr definitions if the source asks for
// constants and the value is a number. Line numbers in messages stay those of the user's file.
std::string with_parameters(const KernelSource& source, std::span<const Macro> macros);

// Replaces parameters in `function` by their values: "kernel<BLOCK, float>" becomes "kernel<32, float>".
std::string with_values(const std::string& function, std::span<const Macro> macros);

// Returns the source's functions that are instances of templates, which a compiler makes only on request. Parameters in
// their names are replaced as by with_values(); each instance appears once.
std::vector<std::string> template_instances(const KernelSource& source, std::span<const Macro> macros);

// Returns the name of the source in messages: the file, or "kernel.cu".
std::string display_name(const KernelSource& source);

// Returns the options of the source with folders of headers (-I) made absolute, resolved from the folder of the file.
// That folder and the toolkit's folders are added at the end.
std::vector<std::string> options_with_folders(const KernelSource& source);

// Tells whether a compiler option names the target architecture, or announces that the next option does.
bool names_architecture(std::string_view option);
// Returns the source without options that name an architecture.
KernelSource without_architecture(KernelSource source);

// The kind of a source: CUDA C++, PTX or a cubin. It is told by the file's extension or, without a file, by the
// beginning of the text.
enum class SourceKind { cuda_cpp, ptx, cubin };
SourceKind kind_of(const KernelSource& source);
SourceKind kind_of_text(std::string_view text);

}  // namespace wattune::backend::cuda
