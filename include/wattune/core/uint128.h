// Uint128: the type of counts and ids of search spaces.
//
// A hundred on/off parameters already span 2^100 configurations, so counts are 128 bits wide. The compiler has the
// type; this header gives it a name and text forms. Sixty-four bits suffice for most spaces, and the diagram then
// stores only these (see space/search_space.h).
//
//   const Uint128 count = space.count();
//   print(to_string(count), to_double(count));
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "wattune/core/export.h"

namespace wattune::inline v0_1 {

__extension__ typedef unsigned __int128 Uint128;

// Returns the decimal digits.
WATTUNE_EXPORT std::string to_string(Uint128 value);
// Parses decimal digits. Returns nullopt for anything else, or above 2^128 - 1.
WATTUNE_EXPORT std::optional<Uint128> parse_uint128(std::string_view text);

// Returns the nearest double, for fractions and logarithms.
constexpr double to_double(Uint128 value) { return static_cast<double>(value); }

}  // namespace wattune
