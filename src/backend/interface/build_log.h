// Finds the most telling line in a compiler's log, whichever compiler wrote it.
#pragma once

#include <string>
#include <string_view>

#include "wattune/core/result.h"

namespace wattune::inline v0_1::backend {

// Returns the most telling line of a log. This is the first line that names an error, or the next line if that line
// only announces one. If the compiler only says that the linker failed, the linker's line is the telling one. Without
// such a line it is the first line that is not empty.
std::string telling_line(std::string_view log);

// Returns the error with the most telling line as its message, if the error is a failed compilation, whose message is a
// whole log. Other errors are returned unchanged.
Error without_log(const Error& error);

}  // namespace wattune::backend
