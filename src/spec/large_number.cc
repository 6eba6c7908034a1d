#include "spec/large_number.h"

#include <cctype>
#include <charconv>
#include <cstdint>
#include <string>

#include "wattune/core/uint128.h"

namespace wattune::inline v0_1::spec {

namespace {

constexpr std::size_t kLongestNumber = 100;  // characters; also limits how deeply brackets nest

// Computes with whole numbers of 128 bits. Each function reads one part of the text. It returns nullopt for text that
// is no such arithmetic, and for results that are negative or too large.
class Arithmetic {
 public:
  explicit Arithmetic(std::string_view text) : text_(text) {}

  std::optional<Uint128> whole() {
    const std::optional<Uint128> value = sum();
    skip_blanks();
    return at_ == text_.size() ? value : std::nullopt;
  }

 private:
  using Number = std::optional<Uint128>;

  Number sum() {
    Number value = product();
    while (value) {
      const bool plus = takes("+");
      if (!plus && !takes("-")) return value;
      const Number other = product();
      Uint128 result = 0;
      if (!other) return std::nullopt;
      const bool fits =
          plus ? !__builtin_add_overflow(*value, *other, &result) : !__builtin_sub_overflow(*value, *other, &result);
      value = fits ? Number(result) : std::nullopt;
    }
    return value;
  }

  Number product() {
    Number value = power();
    while (value && takes("*")) value = times(value, power());
    return value;
  }

  Number power() {
    const Number base = atom();
    if (!base || !takes("**")) return base;
    const Number exponent = power();
    if (!exponent || *exponent > 127) return std::nullopt;
    Number value = Uint128{1};
    for (Uint128 i = 0; value && i < *exponent; ++i) value = times(value, base);
    return value;
  }

  Number atom() {
    if (takes("(")) {
      const Number value = sum();
      return takes(")") ? value : std::nullopt;
    }
    skip_blanks();
    std::string digits;
    for (; at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_');
         ++at_)
      if (text_[at_] != '_') digits += text_[at_];
    const bool hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
    std::uint64_t value = 0;
    const char* const begin = digits.data() + (hexadecimal ? 2 : 0);
    const char* const end = digits.data() + digits.size();
    const auto [read, failure] = std::from_chars(begin, end, value, hexadecimal ? 16 : 10);
    return failure == std::errc() && read == end ? Number(value) : std::nullopt;
  }

  static Number times(const Number& a, const Number& b) {
    Uint128 result = 0;
    return a && b && !__builtin_mul_overflow(*a, *b, &result) ? Number(result) : std::nullopt;
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  // Moves past this sign if it comes next in the text. Returns whether it does. The first `*` of `**` is not the sign
  // `*`.
  bool takes(std::string_view sign) {
    skip_blanks();
    const std::string_view rest = text_.substr(at_);
    if (!rest.starts_with(sign) || (sign == "*" && rest.starts_with("**"))) return false;
    at_ += sign.size();
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::string> large_number(std::string_view text) {
  if (text.size() > kLongestNumber) return std::nullopt;
  const std::optional<Uint128> value = Arithmetic(text).whole();
  if (!value || *value <= std::uint64_t{INT64_MAX} || *value > std::uint64_t{UINT64_MAX}) return std::nullopt;
  return to_string(*value);
}

}  // namespace wattune::inline v0_1::spec
