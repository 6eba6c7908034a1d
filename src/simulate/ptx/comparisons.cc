// Implements comparisons, and selections that depend on comparisons.
#include <bit>
#include <cmath>
#include <optional>

#include "simulate/ptx/by_type.h"
#include "simulate/ptx/families.h"
#include "simulate/ptx/float_values.h"
#include "simulate/ptx/lanes.h"

namespace wattune::inline v0_1::simulate::ptx {

namespace {

// The possible relations of a to b. A comparison is represented by the set of relations for which it is true.
enum Order : std::uint8_t { is_less = 1, is_equal = 2, is_greater = 4, is_unordered = 8 };

std::optional<std::uint8_t> comparison_named(std::string_view name) {
  if (name == "eq") return is_equal;
  if (name == "ne") return is_less | is_greater;
  if (name == "lt" || name == "lo") return is_less;
  if (name == "le" || name == "ls") return is_less | is_equal;
  if (name == "gt" || name == "hi") return is_greater;
  if (name == "ge" || name == "hs") return is_greater | is_equal;
  if (name == "equ") return is_equal | is_unordered;
  if (name == "neu") return is_less | is_greater | is_unordered;
  if (name == "ltu") return is_less | is_unordered;
  if (name == "leu") return is_less | is_equal | is_unordered;
  if (name == "gtu") return is_greater | is_unordered;
  if (name == "geu") return is_greater | is_equal | is_unordered;
  if (name == "num") return is_less | is_equal | is_greater;
  if (name == "nan") return is_unordered;
  return std::nullopt;
}

template <class T>
unsigned order_of(T a, T b) {
  if (a < b) return is_less;
  if (a == b) return is_equal;
  return a > b ? is_greater : is_unordered;
}

// Returns the lanes for which the comparison in `choice` holds. Values are compared as compared_value() returns them.
template <class T>
LaneMask compare(Warp& warp, const Operation& operation, const Operand& first, const Operand& second, LaneMask lanes) {
  const T* const a = warp.column<T>(first);
  const T* const b = warp.column<T>(second);
  LaneMask result = 0;
  for_lanes(lanes, [&](unsigned lane) {
    const auto left = compared_value(a[lane], operation.flush);
    const auto right = compared_value(b[lane], operation.flush);
    result |= LaneMask{(order_of(left, right) & operation.choice) != 0} << lane;
  });
  return result;
}

enum Combine : std::uint8_t { combine_alone, combine_and, combine_or, combine_xor };

LaneMask combined(const Operation& operation, LaneMask result, LaneMask other) {
  switch (operation.combine) {
    case combine_and: return result & other;
    case combine_or: return result | other;
    case combine_xor: return result ^ other;
    default: return result;
  }
}

// Compares and sets predicates. The operands are p, q, a, b and c.
template <class T>
void set_predicates(Warp& warp, const Operation& operation, LaneMask lanes) {
  const LaneMask result = compare<T>(warp, operation, operation.operands[2], operation.operands[3], lanes);
  const LaneMask other = warp.predicate(operation.operands[4]) ^ operation.flip;
  warp.set_predicate(operation.operands[0], lanes, combined(operation, result, other));
  warp.set_predicate(operation.operands[1], lanes, combined(operation, ~result, other));
}

// Compares and sets a value. The operands are d, a, b and c. `immediate` holds the bits that stand for true.
template <class T>
void set_values(Warp& warp, const Operation& operation, LaneMask lanes) {
  const LaneMask result = compare<T>(warp, operation, operation.operands[1], operation.operands[2], lanes);
  const LaneMask other = warp.predicate(operation.operands[3]) ^ operation.flip;
  const LaneMask values = combined(operation, result, other);
  for_lanes(lanes, [&](unsigned lane) {
    warp.set_word(operation.operands[0], lane,
                  (values & bit(lane)) != 0 ? static_cast<std::uint64_t>(operation.immediate) : 0);
  });
}

// Compares two pairs of 16-bit numbers and sets a predicate for each comparison. The operands are p, q, a, b and c.
template <class Number>
void set_pair_predicates(Warp& warp, const Operation& operation, LaneMask lanes) {
  const PairOf<Number>* const a = warp.column<PairOf<Number>>(operation.operands[2]);
  const PairOf<Number>* const b = warp.column<PairOf<Number>>(operation.operands[3]);
  const LaneMask other = warp.predicate(operation.operands[4]) ^ operation.flip;
  LaneMask low = 0;
  LaneMask high = 0;
  for_lanes(lanes, [&](unsigned lane) {
    low |= LaneMask{(order_of(a[lane].low.value(), b[lane].low.value()) & operation.choice) != 0} << lane;
    high |= LaneMask{(order_of(a[lane].high.value(), b[lane].high.value()) & operation.choice) != 0} << lane;
  });
  warp.set_predicate(operation.operands[0], lanes, combined(operation, low, other));
  warp.set_predicate(operation.operands[1], lanes, combined(operation, high, other));
}

template <class T>
T select(T a, T b, bool which) {
  return which ? a : b;
}
template <class T>
T select_by_sign(T a, T b, std::int32_t c) {
  return c >= 0 ? a : b;
}
template <class T, bool flush>
T select_by_float(T a, T b, float c) {
  return compared_value(c, flush) >= 0 ? a : b;
}

void read_comparison(Decoder& decoder) {
  Operation& operation = decoder.operation();
  for (const std::string_view modifier : decoder.instruction().modifiers)
    if (const auto found = comparison_named(modifier)) {
      operation.choice = *found;
      decoder.has(modifier);
      break;
    }
  if (decoder.has("and")) operation.combine = combine_and;
  if (decoder.has("or")) operation.combine = combine_or;
  if (decoder.has("xor")) operation.combine = combine_xor;
  operation.flush = decoder.has("ftz");
}

void read_other_predicate(Decoder& decoder) {
  if (decoder.operation().combine == combine_alone)
    decoder.add(decoder.constant(0, 0));
  else
    decoder.source(Type::pred);
}

template <class Choose>
Handler for_compared(Type type, Choose choose) {
  switch (type) {
    case Type::f16: return choose(Half{});
    case Type::bf16: return choose(Bfloat{});
    case Type::f32: return choose(float{});
    case Type::f64: return choose(double{});
    default: return for_integer(type, choose);
  }
}

std::uint64_t true_value(Type type) {
  switch (type) {
    case Type::f32: return std::bit_cast<std::uint32_t>(1.0f);
    case Type::f16: return Half::from(1.0).bits;
    case Type::bf16: return Bfloat::from(1.0).bits;
    default: return ~std::uint64_t{0};
  }
}

}  // namespace

Handler decode_setp(Decoder& decoder) {
  read_comparison(decoder);
  const Type type = decoder.type();
  decoder.destination_pair(Type::pred, Type::pred);
  decoder.source(type);
  decoder.source(type);
  read_other_predicate(decoder);
  if (type == Type::f16x2) return &set_pair_predicates<Half>;
  if (type == Type::bf16x2) return &set_pair_predicates<Bfloat>;
  return for_compared(type, [](auto zero) { return &set_predicates<decltype(zero)>; });
}

Handler decode_set(Decoder& decoder) {
  read_comparison(decoder);
  const Type result = decoder.type();
  const Type type = decoder.type();
  decoder.destination(result);
  decoder.source(type);
  decoder.source(type);
  read_other_predicate(decoder);
  decoder.operation().immediate = static_cast<std::int64_t>(true_value(result));
  return for_compared(type, [](auto zero) { return &set_values<decltype(zero)>; });
}

Handler decode_selp(Decoder& decoder) {
  const Type type = decoder.type();
  decoder.destination(type);
  decoder.source(type);
  decoder.source(type);
  decoder.source(Type::pred);
  return for_bits(type, [](auto zero) { return lanewise<select<decltype(zero)>>; });
}

Handler decode_slct(Decoder& decoder) {
  const Type type = decoder.type();
  const Type sign = decoder.type();
  decoder.destination(type);
  decoder.source(type);
  decoder.source(type);
  decoder.source(sign);
  const bool flush = decoder.has("ftz");
  if (sign == Type::s32) return for_bits(type, [](auto zero) { return lanewise<select_by_sign<decltype(zero)>>; });
  if (flush) return for_bits(type, [](auto zero) { return lanewise<select_by_float<decltype(zero), true>>; });
  return for_bits(type, [](auto zero) { return lanewise<select_by_float<decltype(zero), false>>; });
}

}  // namespace wattune::simulate::ptx
