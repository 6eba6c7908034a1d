// Reading and writing whole files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "wattune/core/result.h"

namespace wattune::store {

// All bytes from the current offset on. invalid_argument: more than a result file may hold.
Result<std::string> read_descriptor(int descriptor, const std::filesystem::path& file);
Result<std::string> read_file(const std::filesystem::path& file);
// The same of a file that Wattune wrote, without waiting for anybody: a device such as /dev/null is empty.
// invalid_argument: a folder, a pipe or a socket.
Result<std::string> read_regular_file(const std::filesystem::path& file);
// invalid_argument: what is open is neither a file nor a device such as /dev/null.
Result<void> check_regular(int descriptor, const std::filesystem::path& file);

Error too_large(const std::filesystem::path& file);

// FILE with this behind its name or, where that is taken, with 2, 3 and so on behind it.
std::filesystem::path unused_name(const std::filesystem::path& file, std::string_view suffix);
// Gives the file a second name, an unused_name(); copies it where the file system knows no second names.
Result<void> keep_beside(const std::filesystem::path& file, std::string_view suffix);
inline constexpr std::string_view kUnsealed = ".unsealed";

// The contents of a result file; .xz, .gz and .zst, told by their first bytes, go through the system's
// decompressor. unavailable when it is not installed; parse_error when it refuses the file.
Result<std::string> read_maybe_compressed(const std::filesystem::path& file);

}  // namespace wattune::store
