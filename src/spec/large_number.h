// Reads integers from 2^63 to 2^64 - 1, which are too large for the integers of expressions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wattune::inline v0_1::spec {

// Returns the digits of an integer from 2^63 to 2^64 - 1, which the text gives: "18446744073709551615",
// "0xffffffffffffffff" or "2**64 - 1". Names and other operators than + - * ** are not read. Returns nullopt for
// anything else.
std::optional<std::string> large_number(std::string_view text);

}  // namespace wattune::inline v0_1::spec
