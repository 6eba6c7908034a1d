#include "space/expression/arithmetic.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <compare>
#include <limits>

#include "wattune/core/uint128.h"

namespace wattune::inline v0_1::space {

namespace {

constexpr double kTwoTo63 = 0x1p63;

bool fits_int64(double value) { return value >= -kTwoTo63 && value < kTwoTo63; }

Fault to_integer(double whole, Scalar& result) {
  if (std::isnan(whole)) return Fault::domain;
  if (!fits_int64(whole)) return Fault::overflow;
  result = Scalar(static_cast<std::int64_t>(whole));
  return Fault::none;
}

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

// --- real numbers
// -----------------------------------------------------------------------------------------------------

struct Quotient {
  double whole;
  double remainder;
};

// Divides as Python's divmod() does for floats. fmod is exact, so the quotient differs from an integer only by
// rounding, and floor() may return one too little.
Quotient divide_with_remainder(double a, double b) {
  double remainder = std::fmod(a, b);
  double quotient = (a - remainder) / b;
  if (remainder == 0.0) {
    remainder = std::copysign(0.0, b);
  } else if ((remainder < 0.0) != (b < 0.0)) {
    remainder += b;
    quotient -= 1.0;
  }
  if (quotient == 0.0) return {std::copysign(0.0, a / b), remainder};
  const double lower = std::floor(quotient);
  return {quotient - lower > 0.5 ? lower + 1.0 : lower, remainder};
}

// Computes the power as C's pow() does, with the errors of Python.
Fault power_of_reals(double base, double exponent, double& result) {
  const bool finite = std::isfinite(base) && std::isfinite(exponent);
  if (base == 0.0 && exponent < 0.0 && finite) return Fault::division_by_zero;
  if (base < 0.0 && finite && exponent != std::floor(exponent)) return Fault::domain;  // complex in Python
  result = std::pow(base, exponent);
  return finite && std::isinf(result) ? Fault::overflow : Fault::none;
}

Fault apply_real(BinaryOperator op, double a, double b, double& result) {
  switch (op) {
    case BinaryOperator::add: result = a + b; return Fault::none;
    case BinaryOperator::subtract: result = a - b; return Fault::none;
    case BinaryOperator::multiply: result = a * b; return Fault::none;
    case BinaryOperator::power: return power_of_reals(a, b, result);
    case BinaryOperator::divide:
    case BinaryOperator::floor_divide:
    case BinaryOperator::modulo: break;
  }
  if (b == 0.0) return Fault::division_by_zero;
  if (op == BinaryOperator::divide) {
    result = a / b;
  } else {
    const Quotient quotient = divide_with_remainder(a, b);
    result = op == BinaryOperator::modulo ? quotient.remainder : quotient.whole;
  }
  return Fault::none;
}

Fault apply_integral(BinaryOperator op, std::int64_t a, std::int64_t b, Scalar& result) {
  result = Scalar(std::int64_t{0});
  switch (op) {
    case BinaryOperator::add: return add(a, b, result.integer);
    case BinaryOperator::subtract: return subtract(a, b, result.integer);
    case BinaryOperator::multiply: return multiply(a, b, result.integer);
    case BinaryOperator::floor_divide: return floor_divide(a, b, result.integer);
    case BinaryOperator::modulo: return modulo(a, b, result.integer);
    case BinaryOperator::divide: result = Scalar(0.0); return divide(a, b, result.real);
    case BinaryOperator::power:
      if (b >= 0) return power(a, b, result.integer);
      result = Scalar(0.0);
      return power_of_reals(static_cast<double>(a), static_cast<double>(b), result.real);
  }
  return Fault::wrong_type;
}

// --- order --------------------------------------------------------------------------------------------------------

// Compares an integer with a real exactly: 2**53 + 1 is greater than 2.0**53, although it is not exact as a double.
std::partial_ordering order(std::int64_t integer, double real) {
  if (std::isnan(real)) return std::partial_ordering::unordered;
  if (real >= kTwoTo63) return std::partial_ordering::less;
  if (real < -kTwoTo63) return std::partial_ordering::greater;
  const double whole = std::trunc(real);
  const auto truncated = static_cast<std::int64_t>(whole);
  return integer != truncated ? std::partial_ordering(integer <=> truncated) : whole <=> real;
}

// Compares two scalars. Precondition: both are strings, or both are numbers.
std::partial_ordering order(const Scalar& a, const Scalar& b) {
  if (a.is_string()) return *a.string <=> *b.string;  // by bytes; in UTF-8, that is by code points
  if (a.is_integral() && b.is_integral()) return a.integer <=> b.integer;
  if (a.is_integral()) return order(a.integer, b.real);
  if (b.is_integral()) return 0 <=> order(b.integer, a.real);
  return a.real <=> b.real;
}

// --- functions ----------------------------------------------------------------------------------------------------

// Finds the smallest or the largest argument, depending on `better`; the first one if several are equal. Its kind stays
// unchanged.
Fault extreme(Comparison better, std::span<const Scalar> arguments, Scalar& result) {
  Scalar best = arguments[0];
  for (const Scalar& argument : arguments.subspan(1)) {
    bool is_better = false;
    if (const Fault fault = compare(better, argument, best, is_better); fault != Fault::none) return fault;
    if (is_better) best = argument;
  }
  result = best;
  return Fault::none;
}

Fault absolute(const Scalar& a, Scalar& result) {
  if (a.kind != Value::Kind::real)
    return a.integer < 0 ? apply(UnaryOperator::negate, a, result) : apply(UnaryOperator::plus, a, result);
  result = Scalar(std::fabs(a.real));
  return Fault::none;
}

double round_half_even(double value) {
  const double away = std::round(value);
  return std::fabs(away - value) == 0.5 ? 2.0 * std::round(value / 2.0) : away;
}

// Rounds to the nearest multiple of 10^digits. In a tie, chooses the even multiple.
Fault round_to_tens(std::int64_t value, std::int64_t digits, Scalar& result) {
  constexpr std::int64_t kMostDigits = 20;  // 10^20 / 2 exceeds every 64-bit integer
  Uint128 unit = 1;
  for (std::int64_t i = 0; i < std::min(digits, kMostDigits); ++i) unit *= 10;
  Uint128 quotient = magnitude(value) / unit;
  const Uint128 twice_rest = magnitude(value) % unit * 2;
  if (twice_rest > unit || (twice_rest == unit && quotient % 2 == 1)) ++quotient;
  const Uint128 rounded = quotient * unit;
  const Uint128 limit = (Uint128{1} << 63) - (value < 0 ? 0 : 1);
  if (rounded > limit) return Fault::overflow;
  const auto bits = static_cast<std::uint64_t>(rounded);
  result = Scalar(static_cast<std::int64_t>(value < 0 ? 0 - bits : bits));
  return Fault::none;
}

// Computes round(value, digits), correctly rounded in decimal from the exact value of the double.
Fault round_real(double value, std::int64_t digits, Scalar& result) {
  constexpr std::int64_t kExactTens = 22;   // 10^22 is the largest power of ten that is a double
  constexpr std::int64_t kAllDigits = 323;  // from this number on, rounding changes no double
  result = Scalar(value);
  if (!std::isfinite(value) || digits > kAllDigits) return Fault::none;
  if (digits < -kExactTens) return Fault::domain;
  if (digits <= 0) {  // remainder() is exact and chooses the even multiple in a tie
    const double unit = std::pow(10.0, static_cast<double>(-digits));
    result = Scalar(std::copysign(value - std::remainder(value, unit), value));
    return std::isfinite(result.real) ? Fault::none : Fault::overflow;
  }
  std::array<char, 700> text;  // room for the sign, 309 digits, the point and 323 digits
  const auto printed =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, static_cast<int>(digits));
  std::from_chars(text.data(), printed.ptr, result.real);
  return Fault::none;
}

Fault round(std::span<const Scalar> arguments, Scalar& result) {
  const Scalar value = arguments[0];
  if (arguments.size() == 1) {
    if (value.kind == Value::Kind::real) return to_integer(round_half_even(value.real), result);
    return apply(UnaryOperator::plus, value, result);
  }
  const Scalar digits = arguments[1];
  if (!digits.is_integral()) return Fault::wrong_type;
  if (value.kind == Value::Kind::real) return round_real(value.real, digits.integer, result);
  if (digits.integer >= 0) return apply(UnaryOperator::plus, value, result);
  return round_to_tens(value.integer, digits.integer == std::numeric_limits<std::int64_t>::min() ? 1 : -digits.integer,
                       result);
}

Fault length(const Scalar& a, Scalar& result) {
  if (!a.is_string()) return Fault::wrong_type;
  const auto starts_code_point = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  result = Scalar(static_cast<std::int64_t>(std::count_if(a.string->begin(), a.string->end(), starts_code_point)));
  return Fault::none;
}

// Calls a function that takes and returns a double.
Fault call_real(Function function, double a, Scalar& result) {
  switch (function) {
    case Function::ceil_real: result = Scalar(std::ceil(a)); return Fault::none;
    case Function::floor_real: result = Scalar(std::floor(a)); return Fault::none;
    case Function::to_float: result = Scalar(a); return Fault::none;
    case Function::sqrt:
      if (a < 0.0) return Fault::domain;
      result = Scalar(std::sqrt(a));
      return Fault::none;
    case Function::log2:
      if (a <= 0.0) return Fault::domain;
      result = Scalar(std::log2(a));
      return Fault::none;
    default: return Fault::wrong_type;
  }
}

// Calls a function that converts a double to an integer. Integers stay unchanged.
Fault call_to_integer(Function function, const Scalar& a, Scalar& result) {
  if (a.kind != Value::Kind::real) return apply(UnaryOperator::plus, a, result);
  if (function == Function::ceil) return to_integer(std::ceil(a.real), result);
  if (function == Function::floor) return to_integer(std::floor(a.real), result);
  return to_integer(std::trunc(a.real), result);
}

}  // namespace

Scalar::Scalar(const Value& value) : kind(value.kind()) {
  switch (kind) {
    case Value::Kind::integer:
    case Value::Kind::boolean: integer = value.as_integer(); break;
    case Value::Kind::real: real = value.as_real(); break;
    case Value::Kind::string: string = &value.as_string(); break;
  }
}

Value Scalar::to_value() const {
  switch (kind) {
    case Value::Kind::integer: return Value(integer);
    case Value::Kind::boolean: return Value(integer != 0);
    case Value::Kind::real: return Value(real);
    case Value::Kind::string: return Value(*string);
  }
  return {};
}

Fault power(std::int64_t base, std::int64_t exponent, std::int64_t& result) {
  result = 1;
  for (;;) {
    if ((exponent & 1) != 0 && multiply(result, base, result) != Fault::none) return Fault::overflow;
    exponent >>= 1;
    if (exponent == 0) return Fault::none;
    // The result overflows if a square overflows that is still needed.
    if (multiply(base, base, base) != Fault::none) return Fault::overflow;
  }
}

Fault divide(std::int64_t a, std::int64_t b, double& result) {
  constexpr std::uint64_t kExactlyDouble = std::uint64_t{1} << 53;
  if (b == 0) return Fault::division_by_zero;
  if (magnitude(a) <= kExactlyDouble && magnitude(b) <= kExactlyDouble) {
    result = static_cast<double>(a) / static_cast<double>(b);
    return Fault::none;
  }
  // A dividend shifted to the top of 127 bits gives a quotient of at least 63 bits, more than a double's 53. Its last
  // bit also records a remainder, so that the conversion rounds once and correctly.
  const int shift = 127 - static_cast<int>(std::bit_width(magnitude(a)));
  const Uint128 dividend = Uint128{magnitude(a)} << shift;
  const Uint128 sticky = dividend % magnitude(b) != 0 ? 1 : 0;
  const double quotient = std::ldexp(static_cast<double>(dividend / magnitude(b) | sticky), -shift);
  result = (a < 0) != (b < 0) ? -quotient : quotient;
  return Fault::none;
}

Fault apply_general(BinaryOperator op, const Scalar& a, const Scalar& b, Scalar& result) {
  if (a.is_string() || b.is_string()) return Fault::wrong_type;
  if (a.is_integral() && b.is_integral()) return apply_integral(op, a.integer, b.integer, result);
  double real = 0.0;
  const Fault fault = apply_real(op, a.as_real(), b.as_real(), real);
  result = Scalar(real);
  return fault;
}

Fault compare_general(Comparison comparison, const Scalar& a, const Scalar& b, bool& result) {
  if (comparison == Comparison::equal || comparison == Comparison::not_equal) {
    result = equal(a, b) == (comparison == Comparison::equal);
    return Fault::none;
  }
  if (comparison == Comparison::in || comparison == Comparison::not_in) {
    if (!a.is_string() || !b.is_string()) return Fault::wrong_type;
    result = (b.string->find(*a.string) != std::string::npos) == (comparison == Comparison::in);
    return Fault::none;
  }
  if (a.is_string() != b.is_string()) return Fault::wrong_type;
  const std::partial_ordering ordering = order(a, b);
  switch (comparison) {
    case Comparison::less: result = ordering < 0; break;
    case Comparison::less_equal: result = ordering <= 0; break;
    case Comparison::greater: result = ordering > 0; break;
    default: result = ordering >= 0; break;
  }
  return Fault::none;
}

Fault apply(UnaryOperator op, const Scalar& a, Scalar& result) {
  if (op == UnaryOperator::logical_not) {
    result = Scalar(!a.truth());
    return Fault::none;
  }
  if (a.is_string()) return Fault::wrong_type;
  if (a.kind == Value::Kind::real) {
    result = Scalar(op == UnaryOperator::negate ? -a.real : a.real);
    return Fault::none;
  }
  const std::int64_t value = a.integer;
  result = Scalar(value);
  return op == UnaryOperator::negate ? subtract(0, value, result.integer) : Fault::none;
}

bool equal(const Scalar& a, const Scalar& b) { return a.is_string() == b.is_string() && order(a, b) == 0; }

Fault call(Function function, std::span<const Scalar> arguments, Scalar& result) {
  const Scalar first = arguments[0];
  switch (function) {
    case Function::minimum: return extreme(Comparison::less, arguments, result);
    case Function::maximum: return extreme(Comparison::greater, arguments, result);
    case Function::to_bool: result = Scalar(first.truth()); return Fault::none;
    case Function::length: return length(first, result);
    case Function::power: return apply(BinaryOperator::power, first, arguments[1], result);
    default: break;
  }
  if (first.is_string()) return Fault::wrong_type;
  switch (function) {
    case Function::absolute: return absolute(first, result);
    case Function::round: return round(arguments, result);
    case Function::ceil:
    case Function::floor:
    case Function::to_int: return call_to_integer(function, first, result);
    case Function::power_real:
      if (arguments[1].is_string()) return Fault::wrong_type;
      return apply_general(BinaryOperator::power, Scalar(first.as_real()), arguments[1], result);
    default: return call_real(function, first.as_real(), result);
  }
}

}  // namespace wattune::space
