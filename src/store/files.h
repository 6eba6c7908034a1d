// Reading and writing whole files.
#pragma once

#include <filesystem>
#include <string>

#include "wattune/core/result.h"

namespace wattune::store {

// All bytes from the current offset on. invalid_argument: more than a result file may hold.
Result<std::string> read_descriptor(int descriptor, const std::filesystem::path& file);
Result<std::string> read_file(const std::filesystem::path& file);

// The contents of a result file; .xz, .gz and .zst, told by their first bytes, go through the system's
// decompressor. unavailable when it is not installed; parse_error when it refuses the file.
Result<std::string> read_maybe_compressed(const std::filesystem::path& file);

}  // namespace wattune::store
