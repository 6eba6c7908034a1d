// Reads integers from 2^63 to 2^64 - 1, which are too large for the integers of expressions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wattune::inline v0_1::spec {

// Returns the digits of an integer from 2^63 to 2^64 - 1 that is given as a text: "18446744073709551615",
// "0xffffffffffffffff" or "2**64 - 1". Texts with names, or with operators other than + - * **, do not count. Returns
// nullopt for any other text.
std::optional<std::string> large_number(std::string_view text);

}  // namespace wattune::inline v0_1::spec
