// Words numbers and file names for people and for shells.
#pragma once

#include <string>
#include <string_view>

#include "wattune/core/uint128.h"

namespace wattune::inline v0_1 {

// Groups digits: "241,600".
std::string group_digits(Uint128 value);
// Returns "1 configuration" or "1,200 configurations", for nouns that take an s.
std::string counted(Uint128 count, std::string_view noun);
// Quotes a word for a shell if it holds more than letters, digits and -_./,:=+@%.
std::string quoted_for_shell(std::string_view word);

}  // namespace wattune
