// Making files that did not exist before.
//
// Whoever may write to a folder can put a link where a name is expected, through which a file elsewhere would be
// overwritten. So names that exist are refused, links that lead nowhere among them.
#pragma once

#include <filesystem>
#include <string_view>

#include "wattune/core/result.h"

namespace wattune {

// Writes all of it where the descriptor stands; `named` is for the message.
Result<void> write_all(int descriptor, std::string_view text, const std::filesystem::path& named);

// Makes the file with this text, whole or not at all. already_exists: something has the name.
Result<void> write_new_file(const std::filesystem::path& file, std::string_view text);

// The same under a name beside `file`, which the caller renames it to or removes.
Result<std::filesystem::path> write_beside(const std::filesystem::path& file, std::string_view text);

}  // namespace wattune
