// Implements reciprocals, roots and transcendental functions. Functions that PTX calls approximate are computed in
// double precision and rounded. Their results differ from those of a GPU in the last bits.
#include <cmath>

#include "simulate/ptx/families.h"
#include "simulate/ptx/float_lanes.h"

namespace wattune::inline v0_1::simulate::ptx {

namespace {

// The reciprocal and the root are rounded as the instruction states. The other functions have no rounding modifier.
struct Reciprocal {
  template <class T, class C>
  static C of(C a) {
    return C{1} / a;
  }
};
struct SquareRoot {
  template <class T, class C>
  static C of(C a) {
    return std::sqrt(a);
  }
};

template <double (*function)(double)>
struct Rounded {
  template <class T, class C>
  static C of(C a) {
    return static_cast<C>(function(static_cast<double>(a)));
  }
};
double reciprocal_root(double a) { return 1.0 / std::sqrt(a); }
double sine(double a) { return std::sin(a); }
double cosine(double a) { return std::cos(a); }
double logarithm(double a) { return std::log2(a); }
double power_of_two(double a) { return std::exp2(a); }
double hyperbolic_tangent(double a) { return std::tanh(a); }

template <class Function>
Handler decode_special(Decoder& decoder) {
  const Type type = decoder.type();
  decoder.ignore("approx");
  decoder.operation().rounding = decoder.rounding();
  decoder.operation().flush = decoder.has("ftz");
  decoder.destination(type);
  decoder.source(type);
  return float_handler_for<Function, 1>(type);
}

}  // namespace

Handler decode_rcp(Decoder& decoder) { return decode_special<Reciprocal>(decoder); }
Handler decode_sqrt(Decoder& decoder) { return decode_special<SquareRoot>(decoder); }
Handler decode_rsqrt(Decoder& decoder) { return decode_special<Rounded<reciprocal_root>>(decoder); }
Handler decode_sin(Decoder& decoder) { return decode_special<Rounded<sine>>(decoder); }
Handler decode_cos(Decoder& decoder) { return decode_special<Rounded<cosine>>(decoder); }
Handler decode_lg2(Decoder& decoder) { return decode_special<Rounded<logarithm>>(decoder); }
Handler decode_ex2(Decoder& decoder) { return decode_special<Rounded<power_of_two>>(decoder); }
Handler decode_tanh(Decoder& decoder) { return decode_special<Rounded<hyperbolic_tangent>>(decoder); }

}  // namespace wattune::simulate::ptx
