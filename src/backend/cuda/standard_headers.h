// Headers of the C and C++ standard libraries for NVRTC, which has none. They hold the parts that device code needs.
#pragma once

#include <string>
#include <vector>

namespace wattune::inline v0_1::backend::cuda {

struct StandardHeader {
  std::string name;  // the name as an #include spells it
  std::string text;
};

// Returns the headers that none of these folders contains. Headers of C have a text of their own. Headers of C++ that
// libcu++ offers for devices (limits, type_traits, tuple) include libcu++'s headers if a folder has them.
std::vector<StandardHeader> standard_headers(const std::vector<std::string>& folders);

}  // namespace wattune::backend::cuda
