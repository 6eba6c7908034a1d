// Reading whole files, and the operating system's refusals as Errors.
#pragma once

#include <filesystem>
#include <string>

#include "wattune/core/result.h"

namespace wattune::store {

// "cannot open runs/a.journal: No space left on device". not_found for ENOENT, otherwise io_error.
Error system_error(const char* what, const std::filesystem::path& file, int error_number);

// All bytes from the current offset on.
Result<std::string> read_descriptor(int descriptor, const std::filesystem::path& file);
Result<std::string> read_file(const std::filesystem::path& file);

// The contents of a result file; .xz, .gz and .zst, told by their first bytes, go through the system's
// decompressor. unavailable when it is not installed; parse_error when it refuses the file.
Result<std::string> read_maybe_compressed(const std::filesystem::path& file);

}  // namespace wattune::store
