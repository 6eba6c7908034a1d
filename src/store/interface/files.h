// Reads and writes whole files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "wattune/core/result.h"

namespace wattune::inline v0_1::store {

// Reads all bytes from the current offset on. Fails with invalid_argument if there are more bytes than a result file
// may hold.
Result<std::string> read_descriptor(int descriptor, const std::filesystem::path& file);
Result<std::string> read_file(const std::filesystem::path& file);
// Reads a file that Wattune wrote, without ever waiting for another process. A device such as /dev/null counts as an
// empty file. Fails with invalid_argument for a folder, a pipe or a socket.
Result<std::string> read_regular_file(const std::filesystem::path& file);
// Checks the kind of an open file. Fails with invalid_argument if it is neither a regular file nor a device such as
// /dev/null.
Result<void> check_regular(int descriptor, const std::filesystem::path& file);

Error too_large(const std::filesystem::path& file);

// Returns an unused name: FILE with `suffix` appended or, if that name is taken, with 2, 3 and so on appended to it.
std::filesystem::path unused_name(const std::filesystem::path& file, std::string_view suffix);
// Gives the file a second name, that of unused_name(). Copies the file instead if the file system has no hard links.
// Fails with errors of the system.
Result<void> keep_beside(const std::filesystem::path& file, std::string_view suffix);
// The suffix of a file without checksums that is kept beside its successor.
inline constexpr std::string_view kUnsealedSuffix = ".unsealed";

// Reads a result file. If its first bytes are those of .xz, .gz or .zst, the system's decompressor reads it. Fails with
// unavailable if the decompressor is not installed, with parse_error if it rejects the file.
Result<std::string> read_maybe_compressed(const std::filesystem::path& file);

}  // namespace wattune::store
