// Makes files that did not exist before.
//
// A user who may write to a folder can put a link where a name is expected, through which a file elsewhere would be
// overwritten. So existing names are refused, dangling links included.
#pragma once

#include <filesystem>
#include <string_view>

#include "wattune/core/result.h"

namespace wattune::inline v0_1 {

// Writes all of the text at the descriptor's position; `named` is the file's name in messages.
Result<void> write_all(int descriptor, std::string_view text, const std::filesystem::path& named);

// Makes the file with this text, completely or not at all. Fails with already_exists if the name is taken, even by a
// dangling link.
Result<void> write_new_file(const std::filesystem::path& file, std::string_view text);

// Writes the text to a new file under a name beside `file`. The caller renames it to `file` or removes it.
Result<std::filesystem::path> write_beside(const std::filesystem::path& file, std::string_view text);

}  // namespace wattune
