#include "wattune/core/uint128.h"

#include <algorithm>

namespace wattune::inline v0_1 {

std::string to_string(Uint128 value) {
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(value % 10));
    value /= 10;
  } while (value != 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::optional<Uint128> parse_uint128(std::string_view text) {
  if (text.empty()) return std::nullopt;
  constexpr Uint128 kMax = ~Uint128{0};
  Uint128 value = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<Uint128>(c - '0');
    if (value > (kMax - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  return value;
}

}  // namespace wattune
