#include "core/interface/wording.h"

#include <fmt/format.h>

namespace wattune::inline v0_1 {

std::string group_digits(Uint128 value) {
  std::string digits = to_string(value);
  for (std::size_t from_end = 3; from_end < digits.size(); from_end += 4) digits.insert(digits.size() - from_end, ",");
  return digits;
}

std::string counted(Uint128 count, std::string_view noun) {
  return fmt::format("{} {}{}", group_digits(count), noun, count == 1 ? "" : "s");
}

std::string quoted_for_shell(std::string_view word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace wattune
