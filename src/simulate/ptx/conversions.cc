// Implements conversions (cvt).
#include <bit>
#include <cmath>
#include <limits>

#include "simulate/ptx/by_type.h"
#include "simulate/ptx/families.h"
#include "simulate/ptx/float_values.h"
#include "simulate/ptx/lanes.h"

namespace wattune::inline v0_1::simulate::ptx {

namespace {

// Flags of a conversion, in Operation::immediate.
enum ConversionLimit : std::int64_t { unlimited, not_negative, finite_only };

template <class D, class S>
D convert_integer(S value) {
  return static_cast<D>(value);
}

// The range of an integer type.
struct IntegerRange {
  std::int64_t least;
  std::uint64_t greatest;
};
IntegerRange range_of(Type type) {
  const unsigned bits = bytes_of(type) * 8;
  if (!is_signed(type)) return {0, bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1};
  const std::uint64_t greatest = (std::uint64_t{1} << (bits - 1)) - 1;
  return {-static_cast<std::int64_t>(greatest) - 1, greatest};
}

// Limits an integer to the range of type `to`. `from` is the type of the bits.
std::uint64_t clamp_integer(std::uint64_t bits, Type from, Type to) {
  const IntegerRange range = range_of(to);
  const bool negative = is_signed(from) && static_cast<std::int64_t>(bits) < 0;
  if (negative && static_cast<std::int64_t>(bits) < range.least) return static_cast<std::uint64_t>(range.least);
  return !negative && bits > range.greatest ? range.greatest : bits;
}

// Converts to an integer. Numbers outside the range become the nearer end of the range. NaN becomes, as in PTX's table,
// zero, or the highest bit if the result or the source has 64 bits.
std::uint64_t integer_of(double value, const Operation& operation, Type from, Type to) {
  const IntegerRange range = range_of(to);
  if (std::isnan(value)) {
    const bool wide = from == Type::f64 || bytes_of(to) == 8;
    return wide ? std::uint64_t{1} << (bytes_of(to) * 8 - 1) : 0;
  }
  const double whole = std::copysign(round_magnitude(std::fabs(value), std::signbit(value), operation.rounding), value);
  if (whole <= static_cast<double>(range.least)) return static_cast<std::uint64_t>(range.least);
  if (whole >= static_cast<double>(range.greatest)) return range.greatest;
  return whole < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(whole)) : static_cast<std::uint64_t>(whole);
}

double float_value(std::uint64_t bits, Type type) {
  switch (type) {
    case Type::f16: return Half{static_cast<std::uint16_t>(bits)}.value();
    case Type::bf16: return Bfloat{static_cast<std::uint16_t>(bits)}.value();
    case Type::f32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    default: return std::bit_cast<double>(bits);
  }
}

// Number of bits in the fraction of a single-precision number that tf32 does not have.
constexpr int kTf32Unused = 13;

// Returns the bits in a narrow format. With .satfinite the largest number replaces infinity.
template <int exponent_bits, int mantissa_bits>
std::uint32_t narrowed(double value, const Operation& operation) {
  constexpr std::uint32_t kInfinity = ((1u << exponent_bits) - 1) << mantissa_bits;
  const std::uint32_t bits = narrow<exponent_bits, mantissa_bits>(value, operation.rounding);
  const bool is_infinite = (bits & kInfinity) == kInfinity && !std::isnan(value);
  return is_infinite && (operation.immediate & finite_only) != 0 ? bits - 1 : bits;
}

std::uint64_t small_float_bits(double value, const Operation& operation, Type type) {
  if (type == Type::f16) return narrowed<5, 10>(value, operation);
  if (type == Type::bf16) return narrowed<8, 7>(value, operation);
  return std::uint64_t{narrowed<8, 10>(value, operation)} << kTf32Unused;
}

// Returns the bits of a number. Precondition: the host's rounding mode is that of the instruction.
std::uint64_t float_bits_of(double value, const Operation& operation, Type type) {
  if (operation.saturate) value = saturated(value);
  if ((operation.immediate & not_negative) != 0 && value < 0) value = 0.0;
  if (type == Type::f64) return std::bit_cast<std::uint64_t>(value);
  if (type != Type::f32) return small_float_bits(value, operation, type);
  const float result = canonical(static_cast<float>(value));
  return std::bit_cast<std::uint32_t>(operation.flush ? flushed(result) : result);
}

struct ConvertedTypes {
  Type to;
  Type from;
  explicit ConvertedTypes(const Operation& operation)
      : to(static_cast<Type>(operation.choice)), from(static_cast<Type>(operation.combine)) {}
};

std::uint64_t source_bits(Warp& warp, const Operand& operand, Type type, unsigned lane) {
  const unsigned unused = 64 - bytes_of(type) * 8;
  const std::uint64_t bits = warp.word(operand, lane) << unused;
  return is_signed(type) ? static_cast<std::uint64_t>(static_cast<std::int64_t>(bits) >> unused) : bits >> unused;
}

// Stores an integer to a register, which may be wider than the integer's type. The integer is extended by its sign if
// it has one.
void store_integer(Warp& warp, const Operand& operand, Type type, unsigned lane, std::uint64_t bits) {
  const unsigned unused = 64 - bytes_of(type) * 8;
  bits <<= unused;
  warp.set_word(
      operand, lane,
      is_signed(type) ? static_cast<std::uint64_t>(static_cast<std::int64_t>(bits) >> unused) : bits >> unused);
}

void integer_to_integer(Warp& warp, const Operation& operation, LaneMask lanes) {
  const ConvertedTypes types(operation);
  for_lanes(lanes, [&](unsigned lane) {
    std::uint64_t bits = source_bits(warp, operation.operands[1], types.from, lane);
    if (operation.saturate) bits = clamp_integer(bits, types.from, types.to);
    store_integer(warp, operation.operands[0], types.to, lane, bits);
  });
}

double read_float(Warp& warp, const Operation& operation, unsigned operand, Type type, unsigned lane) {
  const double value = float_value(source_bits(warp, operation.operands[operand], type, lane), type);
  return operation.flush && type == Type::f32 ? flushed(static_cast<float>(value)) : value;
}

void float_to_integer(Warp& warp, const Operation& operation, LaneMask lanes) {
  const ConvertedTypes types(operation);
  for_lanes(lanes, [&](unsigned lane) {
    const double value = read_float(warp, operation, 1, types.from, lane);
    store_integer(warp, operation.operands[0], types.to, lane, integer_of(value, operation, types.from, types.to));
  });
}

// Converts an integer to floating point. A 64-bit integer is converted to single precision directly, because a double
// cannot hold every 64-bit integer.
void integer_to_float(Warp& warp, const Operation& operation, LaneMask lanes) {
  const ConvertedTypes types(operation);
  const bool has_sign = is_signed(types.from);
  const RoundingScope scope(operation.rounding);
  for_lanes(lanes, [&](unsigned lane) {
    const std::uint64_t bits = source_bits(warp, operation.operands[1], types.from, lane);
    const auto number = static_cast<std::int64_t>(bits);
    const double value = types.to == Type::f32 ? (has_sign ? static_cast<float>(number) : static_cast<float>(bits))
                                               : (has_sign ? static_cast<double>(number) : static_cast<double>(bits));
    warp.set_word(operation.operands[0], lane, float_bits_of(value, operation, types.to));
  });
}

void float_to_float(Warp& warp, const Operation& operation, LaneMask lanes) {
  const ConvertedTypes types(operation);
  const bool to_whole = operation.count != 0;
  const RoundingScope scope(to_whole ? Rounding::nearest : operation.rounding);
  for_lanes(lanes, [&](unsigned lane) {
    double value = read_float(warp, operation, 1, types.from, lane);
    if (to_whole && std::isfinite(value))
      value = std::copysign(round_magnitude(std::fabs(value), std::signbit(value), operation.rounding), value);
    warp.set_word(operation.operands[0], lane, float_bits_of(value, operation, types.to));
  });
}

// Converts two numbers to the halves of a register. The first number goes to the upper half.
void floats_to_pair(Warp& warp, const Operation& operation, LaneMask lanes) {
  const Type half = static_cast<Type>(operation.choice) == Type::f16x2 ? Type::f16 : Type::bf16;
  for_lanes(lanes, [&](unsigned lane) {
    const auto part = [&](unsigned operand) {
      return float_bits_of(read_float(warp, operation, operand, Type::f32, lane), operation, half);
    };
    warp.set_word(operation.operands[0], lane, part(1) << 16 | part(2));
  });
}

void read_conversion(Decoder& decoder, Type to, Type from) {
  Operation& operation = decoder.operation();
  operation.choice = static_cast<std::uint8_t>(to);
  operation.combine = static_cast<std::uint8_t>(from);
  for (const std::string_view modifier : {"rni", "rzi", "rmi", "rpi"})
    if (decoder.instruction().has(modifier)) operation.count = 1;
  operation.rounding = decoder.rounding(operation.count != 0 ? "i" : "");
  if (decoder.has("rna")) operation.rounding = Rounding::away;
  decoder.flush_and_saturate();
  operation.immediate =
      (decoder.has("relu") ? not_negative : unlimited) | (decoder.has("satfinite") ? finite_only : unlimited);
}

// Returns a faster handler for plain conversions, such as those of addresses. These do not saturate, and their
// registers have exactly the sizes of their types.
Handler plain_conversion(const Operation& operation, Type to, Type from) {
  if (operation.saturate || operation.operands[0].bytes != bytes_of(to) ||
      operation.operands[1].bytes != bytes_of(from))
    return nullptr;
  return for_integer(to, [&](auto d) {
    return for_integer(from, [](auto s) { return lanewise<convert_integer<decltype(d), decltype(s)>>; });
  });
}

}  // namespace

Handler decode_cvt(Decoder& decoder) {
  const Type to = decoder.type();
  const Type from = decoder.type();
  if (to == Type::pred || from == Type::pred || from == Type::tf32) return nullptr;
  read_conversion(decoder, to, from);
  decoder.wide_destination(to);
  decoder.wide_source(from);
  if (decoder.operands_left() > 0) {
    decoder.wide_source(from);
    return (to == Type::f16x2 || to == Type::bf16x2) && from == Type::f32 ? &floats_to_pair : nullptr;
  }
  if (to == Type::f16x2 || to == Type::bf16x2 || from == Type::f16x2 || from == Type::bf16x2) return nullptr;
  if (is_float(from)) return is_float(to) ? &float_to_float : &float_to_integer;
  if (is_float(to)) return &integer_to_float;
  const Handler plain = plain_conversion(decoder.operation(), to, from);
  return plain != nullptr ? plain : &integer_to_integer;
}

}  // namespace wattune::simulate::ptx
