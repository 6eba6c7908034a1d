// Python's arithmetic on the values of expressions, in 64 bits and without allocation.
//
// A Scalar is a Value that does not own its string. Operations return a Fault instead of raising; on a fault the result
// is unspecified. A 64-bit overflow is a fault, never a wrong answer. Everything else equals Python 3, except that
// strings have only comparison, `in`, len and truth. The integer overloads and apply() on two integers are inline, for
// evaluators that run millions of times.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "wattune/core/value.h"

namespace wattune::inline v0_1::space {

enum class Fault : std::uint8_t {
  none,
  overflow,          // an integer outside 64 bits, or a float power or conversion that overflows
  division_by_zero,  // division by zero in /, // or %, or 0 to a negative power
  wrong_type,        // wrong types, such as a string plus a number, or `in` a number
  domain,            // such as sqrt or log2 of a negative number, a negative number to a fractional power, int() of NaN
  unknown_name,      // the name has no value; raised by evaluators, not by the functions here
};

enum class UnaryOperator : std::uint8_t { plus, negate, logical_not };
enum class BinaryOperator : std::uint8_t { add, subtract, multiply, divide, floor_divide, modulo, power };
enum class Comparison : std::uint8_t { equal, not_equal, less, less_equal, greater, greater_equal, in, not_in };

// The functions of expressions. ceil and floor return integers, as math.ceil does. ceil_real and floor_real return
// floats, as numpy.ceil does. power_real is math.pow.
enum class Function : std::uint8_t {
  minimum,
  maximum,
  absolute,
  ceil,
  floor,
  ceil_real,
  floor_real,
  round,
  sqrt,
  log2,
  power,
  power_real,
  to_int,
  to_float,
  to_bool,
  length,
};

// A number, a boolean, or a reference to the string of a Value, which must outlive it.
struct Scalar {
  Value::Kind kind = Value::Kind::integer;
  union {
    std::int64_t integer = 0;  // value of an integer; 0 or 1 for a boolean
    double real;
    const std::string* string;
  };

  Scalar() = default;
  explicit Scalar(std::int64_t value) : integer(value) {}
  explicit Scalar(double value) : kind(Value::Kind::real), real(value) {}
  explicit Scalar(bool value) : kind(Value::Kind::boolean), integer(value ? 1 : 0) {}
  explicit Scalar(const Value& value);
  explicit Scalar(Value&&) = delete;  // deleted, because the value's string would be destroyed before the Scalar

  Value to_value() const;

  bool is_string() const { return kind == Value::Kind::string; }
  bool is_integral() const { return kind == Value::Kind::integer || kind == Value::Kind::boolean; }
  // Returns the number as a double. Precondition: !is_string().
  double as_real() const { return kind == Value::Kind::real ? real : static_cast<double>(integer); }
  // Returns Python's bool(): false for 0, 0.0 and "".
  bool truth() const {
    if (is_integral()) return integer != 0;
    return is_string() ? !string->empty() : real != 0.0;
  }
};

// --- integers -----------------------------------------------------------------------------------------------------

inline Fault add(std::int64_t a, std::int64_t b, std::int64_t& result) {
  return __builtin_add_overflow(a, b, &result) ? Fault::overflow : Fault::none;
}
inline Fault subtract(std::int64_t a, std::int64_t b, std::int64_t& result) {
  return __builtin_sub_overflow(a, b, &result) ? Fault::overflow : Fault::none;
}
inline Fault multiply(std::int64_t a, std::int64_t b, std::int64_t& result) {
  return __builtin_mul_overflow(a, b, &result) ? Fault::overflow : Fault::none;
}
// Divides rounding down. The divisor -1 is a case of its own, because the hardware traps on the lowest integer divided
// by it.
inline Fault floor_divide(std::int64_t a, std::int64_t b, std::int64_t& result) {
  if (b == 0) return Fault::division_by_zero;
  if (b == -1) return subtract(0, a, result);
  result = a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
  return Fault::none;
}
// Computes a remainder that has the divisor's sign.
inline Fault modulo(std::int64_t a, std::int64_t b, std::int64_t& result) {
  if (b == 0) return Fault::division_by_zero;
  const std::int64_t remainder = b == -1 ? 0 : a % b;
  result = remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
  return Fault::none;
}
// Raises to a power. Precondition: exponent >= 0.
Fault power(std::int64_t base, std::int64_t exponent, std::int64_t& result);
// Computes the double nearest to a / b.
Fault divide(std::int64_t a, std::int64_t b, double& result);

// --- scalars ------------------------------------------------------------------------------------------------------

// Applies an operator to any scalars. apply() and compare() have a faster path for two integers.
Fault apply_general(BinaryOperator op, const Scalar& a, const Scalar& b, Scalar& result);
Fault compare_general(Comparison comparison, const Scalar& a, const Scalar& b, bool& result);

inline Fault apply(BinaryOperator op, const Scalar& a, const Scalar& b, Scalar& result) {
  if (a.kind != Value::Kind::integer || b.kind != Value::Kind::integer) return apply_general(op, a, b, result);
  result.kind = Value::Kind::integer;
  switch (op) {
    case BinaryOperator::add: return add(a.integer, b.integer, result.integer);
    case BinaryOperator::subtract: return subtract(a.integer, b.integer, result.integer);
    case BinaryOperator::multiply: return multiply(a.integer, b.integer, result.integer);
    case BinaryOperator::floor_divide: return floor_divide(a.integer, b.integer, result.integer);
    case BinaryOperator::modulo: return modulo(a.integer, b.integer, result.integer);
    case BinaryOperator::divide:
    case BinaryOperator::power: break;
  }
  return apply_general(op, a, b, result);
}

// Compares two scalars. `in` and `not in` search a string in a string here; for a list, the caller tests equal() with
// each element.
inline Fault compare(Comparison comparison, const Scalar& a, const Scalar& b, bool& result) {
  if (a.kind != Value::Kind::integer || b.kind != Value::Kind::integer) {
    return compare_general(comparison, a, b, result);
  }
  switch (comparison) {
    case Comparison::equal: result = a.integer == b.integer; break;
    case Comparison::not_equal: result = a.integer != b.integer; break;
    case Comparison::less: result = a.integer < b.integer; break;
    case Comparison::less_equal: result = a.integer <= b.integer; break;
    case Comparison::greater: result = a.integer > b.integer; break;
    case Comparison::greater_equal: result = a.integer >= b.integer; break;
    case Comparison::in:
    case Comparison::not_in: return Fault::wrong_type;
  }
  return Fault::none;
}

Fault apply(UnaryOperator op, const Scalar& a, Scalar& result);

// Compares as Python's == does, for every pair of kinds.
bool equal(const Scalar& a, const Scalar& b);

// Calls a function. Precondition: the number of arguments is right, which the parser has checked.
Fault call(Function function, std::span<const Scalar> arguments, Scalar& result);

}  // namespace wattune::space
