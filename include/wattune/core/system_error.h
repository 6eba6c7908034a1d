// The operating system's refusals of a file as Errors, which say whose matter they are.
#pragma once

#include <filesystem>
#include <string_view>

#include "wattune/core/result.h"

namespace wattune {

// "cannot open runs/a.journal: Permission denied". not_found when there is no such file, already_exists when there is,
// invalid_argument for what the user can mend by another name or other permissions (a folder, an unwritable place),
// otherwise io_error.
Error system_error(std::string_view what, const std::filesystem::path& file, int error_number);

}  // namespace wattune
