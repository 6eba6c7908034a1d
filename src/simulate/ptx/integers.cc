// Implements integer arithmetic.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "simulate/ptx/by_type.h"
#include "simulate/ptx/families.h"
#include "simulate/ptx/lanes.h"
#include "simulate/ptx/wide.h"

namespace wattune::inline v0_1::simulate::ptx {

namespace {

// Adds integers. Integers are added as unsigned numbers, which wrap around as sums do in PTX.

template <class T>
T integer_add(T a, T b) {
  return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
template <class T>
T integer_sub(T a, T b) {
  return static_cast<T>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
std::int32_t clamp_to_32(std::int64_t value) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(value, std::numeric_limits<std::int32_t>::min(),
                                                            std::numeric_limits<std::int32_t>::max()));
}
std::int32_t saturating_add(std::int32_t a, std::int32_t b) { return clamp_to_32(std::int64_t{a} + b); }
std::int32_t saturating_sub(std::int32_t a, std::int32_t b) { return clamp_to_32(std::int64_t{a} - b); }

template <class T>
T multiply_low(T a, T b) {
  return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
template <class T>
Wide<T> multiply_wide(T a, T b) {
  return static_cast<Wide<T>>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
}
template <class T>
T multiply_high(T a, T b) {
  return static_cast<T>(multiply_wide(a, b) >> (sizeof(T) * 8));
}
template <class T>
T mad_low(T a, T b, T c) {
  return integer_add(multiply_low(a, b), c);
}
template <class T>
T mad_high(T a, T b, T c) {
  return integer_add(multiply_high(a, b), c);
}
template <class T>
Wide<T> mad_wide(T a, T b, Wide<T> c) {
  return integer_add(multiply_wide(a, b), c);
}

// Returns the low 24 bits of a value, sign-extended if the type is signed.
template <class T>
std::int64_t low_24(T value) {
  if constexpr (std::is_signed_v<T>)
    return std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(value) << 8) >> 8};
  return std::int64_t{value & 0xff'ffff};
}
template <class T>
T mul24_low(T a, T b) {
  return static_cast<T>(low_24(a) * low_24(b));
}
// Returns bits 16 to 47 of the product.
template <class T>
T mul24_high(T a, T b) {
  return static_cast<T>(low_24(a) * low_24(b) >> 16);
}
template <class T>
T mad24_low(T a, T b, T c) {
  return integer_add(mul24_low(a, b), c);
}
template <class T>
T mad24_high(T a, T b, T c) {
  return integer_add(mul24_high(a, b), c);
}

// Divides. The least number divided by -1 stays the same, because its negative cannot be represented.
template <class T>
T quotient(T a, T b) {
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return integer_sub(T{0}, a);
  return static_cast<T>(a / b);
}
template <class T>
T remainder(T a, T b) {
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;
  return static_cast<T>(a % b);
}

// Divides all lanes. A result that PTX leaves undefined is an error here.
template <class T, T (*divided)(T, T)>
void divide(Warp& warp, const Operation& operation, LaneMask lanes) {
  T* const result = warp.column<T>(operation.operands[0]);
  const T* const a = warp.column<T>(operation.operands[1]);
  const T* const b = warp.column<T>(operation.operands[2]);
  for_lanes(lanes, [&](unsigned lane) {
    if (b[lane] == 0)
      return warp.fault(lane, ErrorCode::launch_failed, "a division by zero, whose result is undefined");
    result[lane] = divided(a[lane], b[lane]);
  });
}

template <class T>
T integer_abs(T a) {
  return a < 0 ? integer_sub(T{0}, a) : a;
}
template <class T>
T integer_neg(T a) {
  return integer_sub(T{0}, a);
}
template <class T>
T integer_min(T a, T b) {
  return std::min(a, b);
}
template <class T>
T integer_max(T a, T b) {
  return std::max(a, b);
}
template <class T>
T sum_of_differences(T a, T b, T c) {
  return integer_add(a > b ? integer_sub(a, b) : integer_sub(b, a), c);
}

// Implements vabsdiff4 with .add: adds the differences of the four bytes of a and b to c.
std::uint32_t sum_of_byte_differences(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  for (unsigned shift = 0; shift < 32; shift += 8) c = sum_of_differences(a >> shift & 0xff, b >> shift & 0xff, c);
  return c;
}

void three_operands(Decoder& decoder, Type type) {
  decoder.destination(type);
  decoder.source(type);
  decoder.source(type);
}

Type wide_type(Type type) {
  switch (type) {
    case Type::u16: return Type::u32;
    case Type::s16: return Type::s32;
    case Type::u32: return Type::u64;
    case Type::s32: return Type::s64;
    default: return Type::none;
  }
}

// Selects an instance for a type with .wide, which 64-bit types do not have.
template <class Choose>
Handler for_narrow_integer(Type type, Choose choose) {
  if (bytes_of(type) == 8) return nullptr;
  return for_integer(type, [&](auto zero) -> Handler {
    if constexpr (sizeof(zero) < 8) return choose(zero);
    return nullptr;
  });
}

// Returns a part of a value, for dp4a and dp2a. These instructions multiply parts of a with bytes of b. Each of a and b
// may be signed or unsigned.
std::int64_t part(std::uint32_t value, unsigned index, unsigned bits, bool with_sign) {
  const std::uint32_t bits_of_part = value >> (index * bits) & ((1u << bits) - 1);
  const std::int64_t all = std::int64_t{1} << bits;
  return with_sign && (bits_of_part >> (bits - 1)) != 0 ? bits_of_part - all : bits_of_part;
}
template <unsigned parts, unsigned bits_a, unsigned first_b, bool sign_a, bool sign_b>
std::uint32_t dot_product(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::int64_t sum = c;
  for (unsigned i = 0; i < parts; ++i) sum += part(a, i, bits_a, sign_a) * part(b, first_b + i, 8, sign_b);
  return static_cast<std::uint32_t>(sum);
}
template <unsigned parts, unsigned bits_a, unsigned first_b>
Handler dot_product_of(bool sign_a, bool sign_b) {
  if (sign_a && sign_b) return lanewise<dot_product<parts, bits_a, first_b, true, true>>;
  if (sign_a) return lanewise<dot_product<parts, bits_a, first_b, true, false>>;
  if (sign_b) return lanewise<dot_product<parts, bits_a, first_b, false, true>>;
  return lanewise<dot_product<parts, bits_a, first_b, false, false>>;
}
void dot_product_operands(Decoder& decoder) {
  three_operands(decoder, Type::b32);
  decoder.source(Type::b32);
}

}  // namespace

Handler decode_add(Decoder& decoder) {
  if (decoder.instruction().has("cc")) return decode_add_carry(decoder);
  const Type type = decoder.type();
  if (is_float(type)) return decode_float_add(decoder, type);
  three_operands(decoder, type);
  if (type == Type::s32 && decoder.has("sat")) return lanewise<saturating_add>;
  return for_integer(type, [](auto zero) { return lanewise<integer_add<decltype(zero)>>; });
}

Handler decode_sub(Decoder& decoder) {
  if (decoder.instruction().has("cc")) return decode_sub_carry(decoder);
  const Type type = decoder.type();
  if (is_float(type)) return decode_float_sub(decoder, type);
  three_operands(decoder, type);
  if (type == Type::s32 && decoder.has("sat")) return lanewise<saturating_sub>;
  return for_integer(type, [](auto zero) { return lanewise<integer_sub<decltype(zero)>>; });
}

Handler decode_mul(Decoder& decoder) {
  const Type type = decoder.type();
  if (is_float(type)) return decode_float_mul(decoder, type);
  const bool wide = decoder.has("wide");
  decoder.destination(wide ? wide_type(type) : type);
  decoder.source(type);
  decoder.source(type);
  if (wide) return for_narrow_integer(type, [](auto zero) { return lanewise<multiply_wide<decltype(zero)>>; });
  if (decoder.has("hi")) return for_integer(type, [](auto zero) { return lanewise<multiply_high<decltype(zero)>>; });
  decoder.ignore("lo");
  return for_integer(type, [](auto zero) { return lanewise<multiply_low<decltype(zero)>>; });
}

Handler decode_mad(Decoder& decoder) {
  if (decoder.instruction().has("cc")) return decode_mad_carry(decoder);
  const Type type = decoder.type();
  if (is_float(type)) return decode_float_fma(decoder, type);
  const bool wide = decoder.has("wide");
  const Type sum = wide ? wide_type(type) : type;
  decoder.destination(sum);
  decoder.source(type);
  decoder.source(type);
  decoder.source(sum);
  if (wide) return for_narrow_integer(type, [](auto zero) { return lanewise<mad_wide<decltype(zero)>>; });
  if (decoder.has("hi")) return for_integer(type, [](auto zero) { return lanewise<mad_high<decltype(zero)>>; });
  decoder.ignore("lo");
  return for_integer(type, [](auto zero) { return lanewise<mad_low<decltype(zero)>>; });
}

Handler decode_mul24(Decoder& decoder) {
  const Type type = decoder.type();
  three_operands(decoder, type);
  const bool high = decoder.has("hi");
  decoder.ignore("lo");
  if (type == Type::u32) return high ? lanewise<mul24_high<std::uint32_t>> : lanewise<mul24_low<std::uint32_t>>;
  if (type == Type::s32) return high ? lanewise<mul24_high<std::int32_t>> : lanewise<mul24_low<std::int32_t>>;
  return nullptr;
}

Handler decode_mad24(Decoder& decoder) {
  const Type type = decoder.type();
  three_operands(decoder, type);
  decoder.source(type);
  const bool high = decoder.has("hi");
  decoder.ignore("lo");
  if (type == Type::u32) return high ? lanewise<mad24_high<std::uint32_t>> : lanewise<mad24_low<std::uint32_t>>;
  if (type == Type::s32) return high ? lanewise<mad24_high<std::int32_t>> : lanewise<mad24_low<std::int32_t>>;
  return nullptr;
}

Handler decode_div(Decoder& decoder) {
  const Type type = decoder.type();
  if (is_float(type)) return decode_float_div(decoder, type);
  three_operands(decoder, type);
  return for_integer(type, [](auto zero) { return &divide<decltype(zero), quotient<decltype(zero)>>; });
}

Handler decode_rem(Decoder& decoder) {
  const Type type = decoder.type();
  three_operands(decoder, type);
  return for_integer(type, [](auto zero) { return &divide<decltype(zero), remainder<decltype(zero)>>; });
}

Handler decode_abs(Decoder& decoder) {
  const Type type = decoder.type();
  if (is_float(type)) return decode_float_abs(decoder, type);
  decoder.destination(type);
  decoder.source(type);
  return for_integer(type, [](auto zero) { return lanewise<integer_abs<decltype(zero)>>; });
}

Handler decode_neg(Decoder& decoder) {
  const Type type = decoder.type();
  if (is_float(type)) return decode_float_neg(decoder, type);
  decoder.destination(type);
  decoder.source(type);
  return for_integer(type, [](auto zero) { return lanewise<integer_neg<decltype(zero)>>; });
}

Handler decode_min(Decoder& decoder) {
  const Type type = decoder.type();
  if (is_float(type)) return decode_float_min(decoder, type);
  three_operands(decoder, type);
  return for_integer(type, [](auto zero) { return lanewise<integer_min<decltype(zero)>>; });
}

Handler decode_max(Decoder& decoder) {
  const Type type = decoder.type();
  if (is_float(type)) return decode_float_max(decoder, type);
  three_operands(decoder, type);
  return for_integer(type, [](auto zero) { return lanewise<integer_max<decltype(zero)>>; });
}

Handler decode_sad(Decoder& decoder) {
  const Type type = decoder.type();
  three_operands(decoder, type);
  decoder.source(type);
  return for_integer(type, [](auto zero) { return lanewise<sum_of_differences<decltype(zero)>>; });
}

Handler decode_vabsdiff4(Decoder& decoder) {
  bool plain = true;
  for (int i = 0; i < 3; ++i) plain = decoder.type() == Type::u32 && plain;
  plain = decoder.has("add") && plain;
  three_operands(decoder, Type::u32);
  decoder.source(Type::u32);
  return plain ? lanewise<sum_of_byte_differences> : nullptr;
}

Handler decode_dp4a(Decoder& decoder) {
  const bool sign_a = is_signed(decoder.type());
  const bool sign_b = is_signed(decoder.type());
  dot_product_operands(decoder);
  return dot_product_of<4, 8, 0>(sign_a, sign_b);
}

Handler decode_dp2a(Decoder& decoder) {
  const bool sign_a = is_signed(decoder.type());
  const bool sign_b = is_signed(decoder.type());
  dot_product_operands(decoder);
  if (decoder.has("hi")) return dot_product_of<2, 16, 2>(sign_a, sign_b);
  decoder.ignore("lo");
  return dot_product_of<2, 16, 0>(sign_a, sign_b);
}

}  // namespace wattune::simulate::ptx
