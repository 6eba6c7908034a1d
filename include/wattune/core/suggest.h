// The nearest valid name to one that the user misspelt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wattune {

// "did you mean `tile_size_x`?" when one candidate is near (edit distance at most a third of the name, at
// least 1) or begins with the name (of three letters or more) and the name is no number, otherwise "one of: a, b, c"
// for up to eight candidates, otherwise empty.
std::string suggest(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace wattune
