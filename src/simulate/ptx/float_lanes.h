// Runs operations on floating-point values for each lane, with .ftz, .sat, .relu and the rounding of the instruction.
//
//   struct Add { template <class T, class C> static C of(C a, C b) { return a + b; } };
//   return float_handler_for<Add, 2>(type);
//
// T is the type of the registers, C that of the computation. C is double for numbers of 16 bits, which are rounded
// once, when they are stored.
#pragma once

#include <type_traits>
#include <utility>

#include "simulate/ptx/float_values.h"
#include "simulate/ptx/type.h"
#include "simulate/ptx/warp.h"

namespace wattune::inline v0_1::simulate::ptx {

constexpr std::uint8_t kRelu = 1;  // value of Operation::combine for .relu: negative results become zero

inline float computed(float value, const Operation& operation) { return operation.flush ? flushed(value) : value; }
inline double computed(double value, const Operation& /*operation*/) { return value; }
template <int exponent_bits, int mantissa_bits>
double computed(SmallFloat<exponent_bits, mantissa_bits> value, const Operation& operation) {
  return operation.flush && value.is_subnormal() ? std::copysign(0.0, value.value()) : value.value();
}

template <class C>
C limited(C value, const Operation& operation) {
  if (operation.saturate) return saturated(value);
  return operation.combine == kRelu && value < C{0} ? C{0} : value;
}

template <class T>
struct Stored {
  static T of(T value, const Operation& operation) { return limited(value, operation); }
};
template <>
struct Stored<float> {
  static float of(float value, const Operation& operation) {
    const float result = canonical(limited(value, operation));
    return operation.flush ? flushed(result) : result;
  }
};
template <int exponent_bits, int mantissa_bits>
struct Stored<SmallFloat<exponent_bits, mantissa_bits>> {
  using Number = SmallFloat<exponent_bits, mantissa_bits>;
  static Number of(double value, const Operation& operation) {
    const Number result = Number::from(limited(value, operation));
    if (!operation.flush || !result.is_subnormal()) return result;
    return Number::from(std::copysign(0.0, value));
  }
};

template <class Op, class T, class... Values>
T float_result(const Operation& operation, std::type_identity<T> /*type*/, Values... values) {
  return Stored<T>::of(Op::template of<T>(computed(values, operation)...), operation);
}
template <class Op, class Number, class... Values>
PairOf<Number> float_result(const Operation& operation, std::type_identity<PairOf<Number>> /*type*/, Values... values) {
  return {float_result<Op>(operation, std::type_identity<Number>(), values.low...),
          float_result<Op>(operation, std::type_identity<Number>(), values.high...)};
}

template <class Op, class T, std::size_t... index>
void float_lanes(Warp& warp, const Operation& operation, LaneMask lanes, std::index_sequence<index...> /*indices*/) {
  const RoundingScope scope(operation.rounding);
  T* const result = warp.column<T>(operation.operands[0]);
  const std::array<const T*, sizeof...(index)> sources{warp.column<T>(operation.operands[index + 1])...};
  for_lanes(lanes, [&](unsigned lane) {
    result[lane] = float_result<Op>(operation, std::type_identity<T>(), sources[index][lane]...);
  });
}

template <class Op, std::size_t sources, class T>
void float_handler(Warp& warp, const Operation& operation, LaneMask lanes) {
  float_lanes<Op, T>(warp, operation, lanes, std::make_index_sequence<sources>());
}

template <class Op, std::size_t sources>
Handler float_handler_for(Type type) {
  switch (type) {
    case Type::f16: return &float_handler<Op, sources, Half>;
    case Type::f16x2: return &float_handler<Op, sources, PairOf<Half>>;
    case Type::bf16: return &float_handler<Op, sources, Bfloat>;
    case Type::bf16x2: return &float_handler<Op, sources, PairOf<Bfloat>>;
    case Type::f32: return &float_handler<Op, sources, float>;
    case Type::f64: return &float_handler<Op, sources, double>;
    default: return nullptr;
  }
}

}  // namespace wattune::simulate::ptx
