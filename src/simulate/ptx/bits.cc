// Implements operations on bits.
#include <algorithm>
#include <bit>
#include <type_traits>

#include "simulate/ptx/by_type.h"
#include "simulate/ptx/families.h"
#include "simulate/ptx/lanes.h"

namespace wattune::inline v0_1::simulate::ptx {

namespace {

template <class T>
T bits_and(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
T bits_or(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T>
T bits_xor(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <class T>
T bits_not(T a) {
  return static_cast<T>(~a);
}
template <class T>
T is_zero(T a) {
  return a == 0 ? 1 : 0;
}
template <class T>
T shift_left(T a, std::uint32_t b) {
  return b >= sizeof(T) * 8 ? T{0} : static_cast<T>(static_cast<std::uint64_t>(a) << b);
}
// Shifts right. A shift by more bits than the type has leaves zeros, or copies of the sign.
template <class T>
T shift_right(T a, std::uint32_t b) {
  constexpr std::uint32_t kBits = sizeof(T) * 8;
  if constexpr (std::is_signed_v<T>) return static_cast<T>(a >> std::min(b, kBits - 1));
  return b >= kBits ? T{0} : static_cast<T>(a >> b);
}
template <class T>
std::uint32_t count_ones(T a) {
  return static_cast<std::uint32_t>(std::popcount(a));
}
template <class T>
std::uint32_t count_leading_zeros(T a) {
  return static_cast<std::uint32_t>(std::countl_zero(a));
}
template <class T>
T reverse(T a) {
  T result = 0;
  for (unsigned i = 0; i < sizeof(T) * 8; ++i) result = static_cast<T>(result << 1 | (a >> i & 1));
  return result;
}

template <class T>
T low_bits(unsigned count) {
  return count >= sizeof(T) * 8 ? static_cast<T>(~T{0}) : static_cast<T>((std::uint64_t{1} << count) - 1);
}

// Extracts a bit field. If a signed field reaches beyond the value, the value's sign fills the missing bits.
template <class T>
T extract(T a, std::uint32_t position, std::uint32_t length) {
  using Bits = std::make_unsigned_t<T>;
  constexpr unsigned kBits = sizeof(T) * 8;
  position &= 0xff;
  length &= 0xff;
  if (length == 0) return 0;
  const auto field = static_cast<Bits>(shift_right(static_cast<Bits>(a), position) & low_bits<Bits>(length));
  if constexpr (std::is_unsigned_v<T>) return field;
  const unsigned sign_place = std::min(position + length - 1, kBits - 1);
  const bool negative = (static_cast<Bits>(a) >> sign_place & 1) != 0;
  const unsigned filled = position >= kBits ? 0 : std::min(length, kBits - position);
  return static_cast<T>(negative ? field | static_cast<Bits>(~low_bits<Bits>(filled)) : field);
}

template <class T>
T insert(T a, T b, std::uint32_t position, std::uint32_t length) {
  position &= 0xff;
  length &= 0xff;
  const T mask = shift_left(low_bits<T>(length), position);
  return static_cast<T>((shift_left(a, position) & mask) | (b & ~mask));
}

// Returns the position of the most significant bit that differs from the sign. Returns all ones if no bit differs.
template <class T, bool as_shift>
std::uint32_t find_most_significant(T a) {
  using Bits = std::make_unsigned_t<T>;
  auto bits = static_cast<Bits>(a);
  if constexpr (std::is_signed_v<T>)
    if (a < 0) bits = static_cast<Bits>(~bits);
  if (bits == 0) return ~0u;
  const auto zeros = static_cast<std::uint32_t>(std::countl_zero(bits));
  return as_shift ? zeros : static_cast<std::uint32_t>(sizeof(T) * 8 - 1) - zeros;
}

template <bool wraps>
std::uint32_t bit_mask(std::uint32_t position, std::uint32_t length) {
  if (wraps) return shift_left(low_bits<std::uint32_t>(length & 31), position & 31);
  return shift_left(low_bits<std::uint32_t>(std::min(length, 32u)), position);
}

// Keeps the bits below `count`, extended by the sign of the highest of them.
template <class T, bool wraps>
T sign_extend(T a, std::uint32_t count) {
  const unsigned bits = wraps ? count & 31 : std::min(count, 32u);
  if (bits == 0) return 0;
  return extract(a, 0, bits);
}

// Returns the position of the n-th set bit from `base`, upwards or downwards.
std::uint32_t find_nth_set(std::uint32_t mask, std::uint32_t base, std::int32_t offset) {
  if (offset == 0) return (mask >> (base & 31) & 1) != 0 ? base : ~0u;
  const int step = offset > 0 ? 1 : -1;
  std::int64_t left = offset > 0 ? offset : -std::int64_t{offset};
  for (int place = static_cast<int>(base); place >= 0 && place < 32; place += step)
    if ((mask >> place & 1) != 0 && --left == 0) return static_cast<std::uint32_t>(place);
  return ~0u;
}

// Shifts the 64 bits (b, a) and returns half of the result: the upper half after a left shift, the lower half after a
// right shift.
template <bool left, bool clamps>
std::uint32_t funnel(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const std::uint32_t shift = clamps ? std::min(c, 32u) : c & 31;
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  return static_cast<std::uint32_t>(left ? both << shift >> 32 : both >> shift);
}

enum PermuteMode : std::uint8_t {
  permute_any,
  permute_forward,
  permute_backward,
  permute_replicate_8,
  permute_clamp_left,
  permute_clamp_right,
  permute_replicate_16
};

// Returns a selector of one of the eight source bytes, which becomes byte `place` of the result. If bit 3 of an
// any-byte selector is set, the byte's sign is copied instead.
std::uint32_t permute_selector(std::uint8_t mode, std::uint32_t c, unsigned place) {
  const std::uint32_t first = c & 3;
  switch (mode) {
    case permute_forward: return first + place;
    case permute_backward: return (first - place) & 7;
    case permute_replicate_8: return first;
    case permute_clamp_left: return std::max(place, first);
    case permute_clamp_right: return std::min(place, first);
    case permute_replicate_16: return (first & 1) * 2 + (place & 1);
    default: return c >> (4 * place) & 15;
  }
}

void permute(Warp& warp, const Operation& operation, LaneMask lanes) {
  for_lanes(lanes, [&](unsigned lane) {
    const std::uint64_t bytes = warp.word(operation.operands[2], lane) << 32 | warp.word(operation.operands[1], lane);
    const auto control = static_cast<std::uint32_t>(warp.word(operation.operands[3], lane));
    std::uint32_t result = 0;
    for (unsigned place = 0; place < 4; ++place) {
      const std::uint32_t selector = permute_selector(operation.choice, control, place);
      auto byte = static_cast<std::uint32_t>(bytes >> ((selector & 7) * 8) & 0xff);
      if ((selector & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
      result |= byte << (place * 8);
    }
    warp.set_word(operation.operands[0], lane, result);
  });
}

// Applies a truth table. Bit i of the table is the result for those bits of a, b and c that form the number i.
void three_input_logic(Warp& warp, const Operation& operation, LaneMask lanes) {
  std::uint32_t* const result = warp.column<std::uint32_t>(operation.operands[0]);
  const std::uint32_t* const a = warp.column<std::uint32_t>(operation.operands[1]);
  const std::uint32_t* const b = warp.column<std::uint32_t>(operation.operands[2]);
  const std::uint32_t* const c = warp.column<std::uint32_t>(operation.operands[3]);
  const auto table = static_cast<std::uint32_t>(operation.immediate);
  for_lanes(lanes, [&](unsigned lane) {
    std::uint32_t value = 0;
    for (unsigned row = 0; row < 8; ++row)
      if ((table >> row & 1) != 0)
        value |= ((row & 4) != 0 ? a[lane] : ~a[lane]) & ((row & 2) != 0 ? b[lane] : ~b[lane]) &
                 ((row & 1) != 0 ? c[lane] : ~c[lane]);
    result[lane] = value;
  });
}

enum PredicateLogic : std::uint8_t { logic_and, logic_or, logic_xor, logic_not };

void predicate_logic(Warp& warp, const Operation& operation, LaneMask lanes) {
  const LaneMask a = warp.predicate(operation.operands[1]);
  const LaneMask b = warp.predicate(operation.operands[2]);
  LaneMask result = ~a;
  if (operation.choice == logic_and) result = a & b;
  if (operation.choice == logic_or) result = a | b;
  if (operation.choice == logic_xor) result = a ^ b;
  warp.set_predicate(operation.operands[0], lanes, result);
}

Type two_operands(Decoder& decoder) {
  const Type type = decoder.type();
  decoder.destination(type);
  decoder.source(type);
  return type;
}

template <class Choose>
Handler decode_logic(Decoder& decoder, PredicateLogic of_predicates, Choose choose) {
  const Type type = two_operands(decoder);
  if (of_predicates != logic_not) decoder.source(type);
  decoder.operation().choice = of_predicates;
  return type == Type::pred ? &predicate_logic : for_bits(type, choose);
}

// Takes the operands of an instruction whose result is a count of 32 bits. Returns the type of the source.
Type count_operands(Decoder& decoder) {
  const Type type = decoder.type();
  decoder.destination(Type::u32);
  decoder.source(type);
  return type;
}

std::uint8_t permute_mode(Decoder& decoder) {
  if (decoder.has("f4e")) return permute_forward;
  if (decoder.has("b4e")) return permute_backward;
  if (decoder.has("rc8")) return permute_replicate_8;
  if (decoder.has("ecl")) return permute_clamp_left;
  if (decoder.has("ecr")) return permute_clamp_right;
  return decoder.has("rc16") ? permute_replicate_16 : permute_any;
}

}  // namespace

Handler decode_and(Decoder& decoder) {
  return decode_logic(decoder, logic_and, [](auto zero) { return lanewise<bits_and<decltype(zero)>>; });
}
Handler decode_or(Decoder& decoder) {
  return decode_logic(decoder, logic_or, [](auto zero) { return lanewise<bits_or<decltype(zero)>>; });
}
Handler decode_xor(Decoder& decoder) {
  return decode_logic(decoder, logic_xor, [](auto zero) { return lanewise<bits_xor<decltype(zero)>>; });
}
Handler decode_not(Decoder& decoder) {
  return decode_logic(decoder, logic_not, [](auto zero) { return lanewise<bits_not<decltype(zero)>>; });
}

Handler decode_cnot(Decoder& decoder) {
  return for_bits(two_operands(decoder), [](auto zero) { return lanewise<is_zero<decltype(zero)>>; });
}

Handler decode_lop3(Decoder& decoder) {
  two_operands(decoder);
  decoder.source(Type::b32);
  decoder.source(Type::b32);
  const slice::PtxOperand& table = decoder.take();
  decoder.operation().immediate = static_cast<std::int64_t>(table.bits);
  return &three_input_logic;
}

Handler decode_shl(Decoder& decoder) {
  const Type type = two_operands(decoder);
  decoder.source(Type::b32);
  return for_bits(type, [](auto zero) { return lanewise<shift_left<decltype(zero)>>; });
}

Handler decode_shr(Decoder& decoder) {
  const Type type = two_operands(decoder);
  decoder.source(Type::b32);
  return for_integer(type, [](auto zero) { return lanewise<shift_right<decltype(zero)>>; });
}

Handler decode_shf(Decoder& decoder) {
  two_operands(decoder);
  decoder.source(Type::b32);
  decoder.source(Type::b32);
  const bool clamps = decoder.has("clamp");
  decoder.ignore("wrap");
  if (decoder.has("l")) return clamps ? lanewise<funnel<true, true>> : lanewise<funnel<true, false>>;
  decoder.ignore("r");
  return clamps ? lanewise<funnel<false, true>> : lanewise<funnel<false, false>>;
}

Handler decode_popc(Decoder& decoder) {
  return for_bits(count_operands(decoder), [](auto zero) { return lanewise<count_ones<decltype(zero)>>; });
}

Handler decode_clz(Decoder& decoder) {
  return for_bits(count_operands(decoder), [](auto zero) { return lanewise<count_leading_zeros<decltype(zero)>>; });
}

Handler decode_brev(Decoder& decoder) {
  return for_bits(two_operands(decoder), [](auto zero) { return lanewise<reverse<decltype(zero)>>; });
}

Handler decode_bfe(Decoder& decoder) {
  const Type type = two_operands(decoder);
  decoder.source(Type::u32);
  decoder.source(Type::u32);
  return for_integer(type, [](auto zero) { return lanewise<extract<decltype(zero)>>; });
}

Handler decode_bfi(Decoder& decoder) {
  const Type type = two_operands(decoder);
  decoder.source(type);
  decoder.source(Type::u32);
  decoder.source(Type::u32);
  return for_bits(type, [](auto zero) { return lanewise<insert<decltype(zero)>>; });
}

Handler decode_bfind(Decoder& decoder) {
  const Type type = count_operands(decoder);
  if (decoder.has("shiftamt"))
    return for_integer(type, [](auto zero) { return lanewise<find_most_significant<decltype(zero), true>>; });
  return for_integer(type, [](auto zero) { return lanewise<find_most_significant<decltype(zero), false>>; });
}

Handler decode_bmsk(Decoder& decoder) {
  two_operands(decoder);
  decoder.source(Type::b32);
  decoder.ignore("clamp");
  return decoder.has("wrap") ? lanewise<bit_mask<true>> : lanewise<bit_mask<false>>;
}

Handler decode_szext(Decoder& decoder) {
  const Type type = two_operands(decoder);
  decoder.source(Type::u32);
  decoder.ignore("clamp");
  const bool wraps = decoder.has("wrap");
  if (type == Type::s32)
    return wraps ? lanewise<sign_extend<std::int32_t, true>> : lanewise<sign_extend<std::int32_t, false>>;
  return wraps ? lanewise<sign_extend<std::uint32_t, true>> : lanewise<sign_extend<std::uint32_t, false>>;
}

Handler decode_fns(Decoder& decoder) {
  two_operands(decoder);
  decoder.source(Type::b32);
  decoder.source(Type::b32);
  return lanewise<find_nth_set>;
}

Handler decode_prmt(Decoder& decoder) {
  two_operands(decoder);
  decoder.source(Type::b32);
  decoder.source(Type::b32);
  decoder.operation().choice = permute_mode(decoder);
  return &permute;
}

}  // namespace wattune::simulate::ptx
