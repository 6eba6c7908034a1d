// Implements floating-point arithmetic.
#include <cmath>
#include <limits>

#include "simulate/ptx/families.h"
#include "simulate/ptx/float_lanes.h"
#include "simulate/ptx/lanes.h"

namespace wattune::inline v0_1::simulate::ptx {

namespace {

struct FloatAdd {
  template <class T, class C>
  static C of(C a, C b) {
    return a + b;
  }
};
struct FloatSub {
  template <class T, class C>
  static C of(C a, C b) {
    return a - b;
  }
};
struct FloatMul {
  template <class T, class C>
  static C of(C a, C b) {
    return a * b;
  }
};
struct FloatDiv {
  template <class T, class C>
  static C of(C a, C b) {
    return a / b;
  }
};

// Rounds a sum to odd. Rounding the result once more, to fewer bits, then gives the same number as a single rounding.
double sum_rounded_to_odd(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  const double error = (a - (sum - part)) + (b - part);
  const bool is_odd = (std::bit_cast<std::uint64_t>(sum) & 1) != 0;
  if (error == 0.0 || is_odd || !std::isfinite(error)) return sum;
  return std::nextafter(sum,
                        error > 0 ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity());
}

// Multiplies and adds. Products of 16-bit numbers are exact in a double.
struct FloatFma {
  template <class T, class C>
  static C of(C a, C b, C c) {
    if constexpr (std::is_same_v<T, C>)
      return std::fma(a, b, c);
    else
      return sum_rounded_to_odd(a * b, c);
  }
};

struct FloatAbs {
  template <class T, class C>
  static C of(C a) {
    return std::fabs(a);
  }
};
struct FloatNeg {
  template <class T, class C>
  static C of(C a) {
    return -a;
  }
};

// Chooses the smaller value. If one value is NaN, the other is chosen. -0 is less than +0.
struct FloatMin {
  template <class T, class C>
  static C of(C a, C b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
    if (a == b) return std::signbit(a) ? a : b;
    return a < b ? a : b;
  }
};
struct FloatMax {
  template <class T, class C>
  static C of(C a, C b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
    if (a == b) return std::signbit(a) ? b : a;
    return a > b ? a : b;
  }
};
// Chooses as `Choice` does, but chooses NaN if one of the values is NaN (.NaN).
template <class Choice>
struct OrNan {
  template <class T, class C>
  static C of(C a, C b) {
    return std::isnan(a) || std::isnan(b) ? std::numeric_limits<C>::quiet_NaN() : Choice::template of<T>(a, b);
  }
};

template <class T>
T sign_of_first(T a, T b) {
  return std::copysign(b, a);
}

enum FloatTest : std::uint8_t {
  test_finite,
  test_infinite,
  test_number,
  test_not_a_number,
  test_normal,
  test_subnormal
};

template <class T>
bool passes(T value, std::uint8_t test) {
  switch (test) {
    case test_finite: return std::isfinite(value);
    case test_infinite: return std::isinf(value);
    case test_number: return !std::isnan(value);
    case test_not_a_number: return std::isnan(value);
    case test_normal: return std::isnormal(value);
    default: return std::fpclassify(value) == FP_SUBNORMAL;
  }
}

template <class T>
void test_property(Warp& warp, const Operation& operation, LaneMask lanes) {
  const T* const a = warp.column<T>(operation.operands[1]);
  LaneMask result = 0;
  for_lanes(lanes, [&](unsigned lane) { result |= LaneMask{passes(a[lane], operation.choice)} << lane; });
  warp.set_predicate(operation.operands[0], lanes, result);
}

void float_operands(Decoder& decoder, Type type, int sources) {
  decoder.operation().rounding = decoder.rounding();
  decoder.flush_and_saturate();
  if (decoder.has("relu")) decoder.operation().combine = kRelu;
  decoder.destination(type);
  for (int i = 0; i < sources; ++i) decoder.source(type);
}

template <class Choice>
Handler least_or_greatest(Decoder& decoder, Type type) {
  float_operands(decoder, type, 2);
  if (decoder.has("NaN")) return float_handler_for<OrNan<Choice>, 2>(type);
  return float_handler_for<Choice, 2>(type);
}

}  // namespace

Handler decode_float_add(Decoder& decoder, Type type) {
  float_operands(decoder, type, 2);
  return float_handler_for<FloatAdd, 2>(type);
}
Handler decode_float_sub(Decoder& decoder, Type type) {
  float_operands(decoder, type, 2);
  return float_handler_for<FloatSub, 2>(type);
}
Handler decode_float_mul(Decoder& decoder, Type type) {
  float_operands(decoder, type, 2);
  return float_handler_for<FloatMul, 2>(type);
}
// Decodes a division. Approximate forms are computed exactly, too.
Handler decode_float_div(Decoder& decoder, Type type) {
  float_operands(decoder, type, 2);
  decoder.ignore("approx");
  decoder.ignore("full");
  return bytes_of(type) >= 4 ? float_handler_for<FloatDiv, 2>(type) : nullptr;
}
Handler decode_float_abs(Decoder& decoder, Type type) {
  float_operands(decoder, type, 1);
  return float_handler_for<FloatAbs, 1>(type);
}
Handler decode_float_neg(Decoder& decoder, Type type) {
  float_operands(decoder, type, 1);
  return float_handler_for<FloatNeg, 1>(type);
}
Handler decode_float_min(Decoder& decoder, Type type) { return least_or_greatest<FloatMin>(decoder, type); }
Handler decode_float_max(Decoder& decoder, Type type) { return least_or_greatest<FloatMax>(decoder, type); }

Handler decode_float_fma(Decoder& decoder, Type type) {
  float_operands(decoder, type, 3);
  return float_handler_for<FloatFma, 3>(type);
}
Handler decode_fma(Decoder& decoder) { return decode_float_fma(decoder, decoder.type()); }

Handler decode_copysign(Decoder& decoder) {
  const Type type = decoder.type();
  decoder.destination(type);
  decoder.source(type);
  decoder.source(type);
  if (type == Type::f32) return lanewise<sign_of_first<float>>;
  return type == Type::f64 ? lanewise<sign_of_first<double>> : nullptr;
}

Handler decode_testp(Decoder& decoder) {
  constexpr std::array<std::string_view, 6> kTests = {"finite",     "infinite", "number",
                                                      "notanumber", "normal",   "subnormal"};
  for (std::size_t i = 0; i < kTests.size(); ++i)
    if (decoder.has(kTests[i])) decoder.operation().choice = static_cast<std::uint8_t>(i);
  const Type type = decoder.type();
  decoder.destination(Type::pred);
  decoder.source(type);
  if (type == Type::f32) return &test_property<float>;
  return type == Type::f64 ? &test_property<double> : nullptr;
}

}  // namespace wattune::simulate::ptx
