// Files that a spec names, relative to its own folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "spec/document.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"

namespace wattune::spec {

// not_found (with the nearest name in the folder), invalid_argument (a folder, unreadable, too large), io_error.
Result<std::string> read_text(const std::filesystem::path& path);

// Advice on a path that cannot be a spec's: a spec beside it that has such a name; may be empty.
std::string nearest_spec(const std::filesystem::path& path);

// The path of a file that `document` names in `node`, which must exist when `required`. not_found, at the node.
Result<std::filesystem::path> named_file(const Document& document, const Node& node, const std::string& what,
                                         bool required);

// "OpenCL", "CUDA", "C++" and "C", in any case.
std::optional<Language> parse_language(std::string_view name);
// By extension: .cl, .opencl, .ocl; .cu, .cuh, .ptx, .cubin; .cc, .cpp, .cxx, .C; .c.
std::optional<Language> language_of(const std::filesystem::path& file);

}  // namespace wattune::spec
