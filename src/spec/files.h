// Finds and reads the files that a spec names, relative to its own folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "spec/document.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1::spec {

// Reads a text file. Fails with not_found and the nearest name in the folder, with invalid_argument if the path is a
// folder, unreadable or too large, and with io_error.
Result<std::string> read_text(const std::filesystem::path& path);

// Returns advice for a path that is no spec: the name of a spec in the same folder; may be empty.
std::string nearest_spec(const std::filesystem::path& path);

// Returns the path of a file that `document` names in `node`. Fails with not_found, at the node, if the file is
// `required` and does not exist.
Result<std::filesystem::path> named_file(const Document& document, const Node& node, const std::string& what,
                                         bool required);

// Parses "OpenCL", "CUDA", "C++" or "C", in any case.
std::optional<Language> parse_language(std::string_view name);
// Returns the language that a file's extension stands for: .cl, .opencl, .ocl; .cu, .cuh, .ptx, .cubin; .cc, .cpp,
// .cxx, .C; .c.
std::optional<Language> language_of(const std::filesystem::path& file);

}  // namespace wattune::spec
