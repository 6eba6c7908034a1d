#include "wattune/core/value.h"

#include <fmt/format.h>

#include <cmath>

namespace wattune::inline v0_1 {

namespace {

// Compares an integer and a real exactly, as Python does: 2**53 + 1 is not 2.0**53.
bool equal(std::int64_t integer, double real) {
  if (!std::isfinite(real) || real < -0x1p63 || real >= 0x1p63) return false;
  const auto truncated = static_cast<std::int64_t>(real);
  return truncated == integer && static_cast<double>(truncated) == real;
}

}  // namespace

Value::Kind Value::kind() const {
  switch (data_.index()) {
    case 0: return Kind::integer;
    case 1: return Kind::real;
    case 2: return Kind::boolean;
    default: return Kind::string;
  }
}

std::int64_t Value::as_integer() const {
  if (const bool* flag = std::get_if<bool>(&data_)) return *flag ? 1 : 0;
  return std::get<std::int64_t>(data_);
}

const std::string& Value::as_string() const { return std::get<std::string>(data_); }

double Value::as_real() const {
  if (const double* real = std::get_if<double>(&data_)) return *real;
  return static_cast<double>(as_integer());
}

std::string Value::to_string() const {
  switch (kind()) {
    case Kind::integer: return fmt::format("{}", as_integer());
    case Kind::real: return format_real(as_real());
    case Kind::boolean: return as_integer() != 0 ? "True" : "False";
    case Kind::string: return as_string();
  }
  return {};
}

std::string Value::to_macro() const { return kind() == Kind::boolean ? fmt::format("{}", as_integer()) : to_string(); }

bool Value::operator==(const Value& other) const {
  if (!is_number() || !other.is_number()) return data_ == other.data_;
  if (is_integral() && other.is_integral()) return as_integer() == other.as_integer();
  if (is_integral()) return equal(as_integer(), other.as_real());
  if (other.is_integral()) return equal(other.as_integer(), as_real());
  return as_real() == other.as_real();
}

std::string format_real(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

}  // namespace wattune
