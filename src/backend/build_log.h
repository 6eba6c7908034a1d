// What is read from a compiler's log, whichever compiler wrote it.
#pragma once

#include <string>
#include <string_view>

#include "wattune/core/result.h"

namespace wattune::backend {

// The line that says most: the first that names an error, the one behind it where it only announces one, the linker's
// where the compiler only says that it failed; else the first that is not empty.
std::string telling_line(std::string_view log);

// A failed compilation, whose message is a whole log, with the line that says most in its place; others as they are.
Error without_log(const Error& error);

}  // namespace wattune::backend
