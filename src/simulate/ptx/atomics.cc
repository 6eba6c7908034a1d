// Implements atom and red. Lanes are processed one after another, the lowest first, which is an order that hardware may
// choose, too.
#include <algorithm>
#include <bit>
#include <cstring>

#include "simulate/ptx/by_type.h"
#include "simulate/ptx/families.h"
#include "simulate/ptx/float_lanes.h"

namespace wattune::inline v0_1::simulate::ptx {

namespace {

// Integer operations. The arguments are the value in memory, the instruction's operand, and for cas its second operand.
// Sums wrap around.
struct AtomicAdd {
  template <class T>
  static T of(T old, T b, T /*c*/) {
    return static_cast<T>(static_cast<std::uint64_t>(old) + static_cast<std::uint64_t>(b));
  }
};
struct AtomicMin {
  template <class T>
  static T of(T old, T b, T /*c*/) {
    return std::min(old, b);
  }
};
struct AtomicMax {
  template <class T>
  static T of(T old, T b, T /*c*/) {
    return std::max(old, b);
  }
};
struct AtomicAnd {
  template <class T>
  static T of(T old, T b, T /*c*/) {
    return static_cast<T>(old & b);
  }
};
struct AtomicOr {
  template <class T>
  static T of(T old, T b, T /*c*/) {
    return static_cast<T>(old | b);
  }
};
struct AtomicXor {
  template <class T>
  static T of(T old, T b, T /*c*/) {
    return static_cast<T>(old ^ b);
  }
};
struct AtomicExchange {
  template <class T>
  static T of(T /*old*/, T b, T /*c*/) {
    return b;
  }
};
struct AtomicCompareAndSwap {
  template <class T>
  static T of(T old, T b, T c) {
    return old == b ? c : old;
  }
};
struct AtomicIncrement {
  template <class T>
  static T of(T old, T b, T /*c*/) {
    return old >= b ? T{0} : static_cast<T>(old + 1);
  }
};
struct AtomicDecrement {
  template <class T>
  static T of(T old, T b, T /*c*/) {
    return old == 0 || old > b ? b : static_cast<T>(old - 1);
  }
};

// Floating-point operations, computed like instructions of the same names.
struct AtomicFloatAdd {
  template <class T, class C>
  static C of(C old, C b) {
    return old + b;
  }
};
struct AtomicFloatMin {
  template <class T, class C>
  static C of(C old, C b) {
    return std::fmin(old, b);
  }
};
struct AtomicFloatMax {
  template <class T, class C>
  static C of(C old, C b) {
    return std::fmax(old, b);
  }
};

// Changes memory. The operands are `count` destinations for the old values, the address, and a value b for each
// element. For cas, c follows b.
template <class T, class Change>
void at_address(Warp& warp, const Operation& operation, LaneMask lanes, Change change) {
  const std::size_t bytes = sizeof(T) * operation.count;
  for_lanes(lanes, [&](unsigned lane) {
    std::byte* place = warp.memory(operation, lane, bytes);
    if (place == nullptr) return;
    for (unsigned i = 0; i < operation.count; ++i, place += sizeof(T)) {
      T old;
      std::memcpy(&old, place, sizeof(T));
      const T changed = change(old, lane, operation.count + 1u + i);
      std::memcpy(place, &changed, sizeof(T));
      warp.column<T>(operation.operands[i])[lane] = old;
    }
  });
}

template <class Op, class T>
void atomic(Warp& warp, const Operation& operation, LaneMask lanes) {
  constexpr std::size_t kThird = std::is_same_v<Op, AtomicCompareAndSwap> ? 3 : 2;  // only cas uses c
  const T* const c = warp.column<T>(operation.operands[kThird]);
  at_address<T>(warp, operation, lanes, [&](T old, unsigned lane, unsigned operand) {
    return Op::of(old, warp.column<T>(operation.operands[operand])[lane], c[lane]);
  });
}

template <class Op, class T>
void atomic_float(Warp& warp, const Operation& operation, LaneMask lanes) {
  at_address<T>(warp, operation, lanes, [&](T old, unsigned lane, unsigned operand) {
    return float_result<Op>(operation, std::type_identity<T>(), old, warp.column<T>(operation.operands[operand])[lane]);
  });
}

template <class Op>
Handler integer_atomic(Type type) {
  return for_integer(type, [](auto zero) { return &atomic<Op, decltype(zero)>; });
}

template <class Op>
Handler float_atomic(Type type) {
  switch (type) {
    case Type::f16: return &atomic_float<Op, Half>;
    case Type::f16x2: return &atomic_float<Op, PairOf<Half>>;
    case Type::bf16: return &atomic_float<Op, Bfloat>;
    case Type::bf16x2: return &atomic_float<Op, PairOf<Bfloat>>;
    case Type::f32: return &atomic_float<Op, float>;
    case Type::f64: return &atomic_float<Op, double>;
    default: return nullptr;
  }
}

Handler atomic_of(Decoder& decoder, Type type) {
  if (is_float(type)) {
    if (decoder.has("add")) return float_atomic<AtomicFloatAdd>(type);
    if (decoder.has("min")) return float_atomic<AtomicFloatMin>(type);
    return decoder.has("max") ? float_atomic<AtomicFloatMax>(type) : nullptr;
  }
  if (decoder.has("add")) return integer_atomic<AtomicAdd>(type);
  if (decoder.has("min")) return integer_atomic<AtomicMin>(type);
  if (decoder.has("max")) return integer_atomic<AtomicMax>(type);
  if (decoder.has("and")) return integer_atomic<AtomicAnd>(type);
  if (decoder.has("or")) return integer_atomic<AtomicOr>(type);
  if (decoder.has("xor")) return integer_atomic<AtomicXor>(type);
  if (decoder.has("exch")) return integer_atomic<AtomicExchange>(type);
  if (decoder.has("cas")) return integer_atomic<AtomicCompareAndSwap>(type);
  if (decoder.has("inc")) return integer_atomic<AtomicIncrement>(type);
  return decoder.has("dec") ? integer_atomic<AtomicDecrement>(type) : nullptr;
}

Type atomic_type(Decoder& decoder) {
  for (const std::string_view modifier :
       {"relaxed", "acquire", "release", "acq_rel", "cta", "cluster", "gpu", "sys", "noftz"})
    decoder.ignore(modifier);
  decoder.ignore_prefix("L2::");
  decoder.space(Space::generic);
  return decoder.type();
}

// Takes a value or a vector as operands. Returns the number of values.
std::uint8_t take_elements(Decoder& decoder, Type type, bool are_destinations) {
  const slice::PtxOperand& operand = decoder.take();
  if (operand.kind != slice::PtxOperandKind::vector) {
    decoder.add(decoder.column_of(operand, type, are_destinations, false));
    return 1;
  }
  for (const slice::PtxOperand& element : operand.elements)
    decoder.add(decoder.column_of(element, type, are_destinations, false));
  return static_cast<std::uint8_t>(operand.elements.size());
}

// Takes the operands that follow the destination: [address], b {, c} {, policy}.
void take_address_and_sources(Decoder& decoder, Type type) {
  decoder.address(decoder.take());
  const std::uint8_t sources = take_elements(decoder, type, false);
  if (sources != decoder.operation().count)
    return decoder.refuse("the vectors have different lengths", ErrorCode::invalid_argument);
  if (decoder.instruction().has("cas")) decoder.source(type);
  if (decoder.instruction().has("L2::cache_hint")) decoder.take();
}

std::uint8_t vector_length_of(Decoder& decoder) {
  for (const auto& [name, length] : {std::pair("v2", 2), std::pair("v4", 4)})
    if (decoder.has(name)) return static_cast<std::uint8_t>(length);
  return 1;
}

}  // namespace

Handler decode_atom(Decoder& decoder) {
  const Type type = atomic_type(decoder);
  const std::uint8_t length = vector_length_of(decoder);
  decoder.operation().count = take_elements(decoder, type, true);
  take_address_and_sources(decoder, type);
  return length == decoder.operation().count ? atomic_of(decoder, type) : nullptr;
}

Handler decode_red(Decoder& decoder) {
  const Type type = atomic_type(decoder);
  const std::uint8_t length = vector_length_of(decoder);
  decoder.operation().count = length;
  for (unsigned i = 0; i < length; ++i) decoder.add(decoder.sink(type));
  take_address_and_sources(decoder, type);
  return atomic_of(decoder, type);
}

}  // namespace wattune::simulate::ptx
