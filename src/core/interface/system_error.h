// Turns the operating system's errors about a file into Errors.
#pragma once

#include <filesystem>
#include <string_view>

#include "wattune/core/result.h"

namespace wattune::inline v0_1 {

// Returns an Error such as "cannot open runs/a.journal: Permission denied". The code is not_found or already_exists if
// the system says so. It is invalid_argument if another name or other permissions would help (a folder, an unwritable
// place), and otherwise io_error.
Error system_error(std::string_view what, const std::filesystem::path& file, int error_number);

}  // namespace wattune
