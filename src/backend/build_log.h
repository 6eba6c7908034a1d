// What is read from a compiler's log, whichever compiler wrote it.
#pragma once

#include <string>
#include <string_view>

namespace wattune::backend {

// The line that says most: the first with "error" in it, else the first that is not empty.
std::string telling_line(std::string_view log);

}  // namespace wattune::backend
