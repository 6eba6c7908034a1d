// Shortens lists of names for messages.
#pragma once

#include <string>
#include <vector>

namespace wattune::inline v0_1 {

// Returns "a, b, c, d, e and 3 more": five names, and how many more there are.
std::string some_of(const std::vector<std::string>& names);

}  // namespace wattune
