// Headers of the C and C++ standard libraries for NVRTC, which has none: what device code needs of them, in few lines.
#pragma once

#include <string>
#include <vector>

namespace wattune::backend::cuda {

struct StandardHeader {
  std::string name;  // as #include has it
  std::string text;
};

// Those that lie in none of these folders. Headers of C have a text of their own; those of C++ that libcu++ has for
// devices (limits, type_traits, tuple) lead to it, where a folder has that.
std::vector<StandardHeader> standard_headers(const std::vector<std::string>& folders);

}  // namespace wattune::backend::cuda
