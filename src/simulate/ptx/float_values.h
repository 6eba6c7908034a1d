// Adjusts floating-point values before and after computations.
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

#include "simulate/ptx/operation.h"
#include "simulate/ptx/small_float.h"

namespace wattune::inline v0_1::simulate::ptx {

// Sets the host's rounding mode, and restores it in the destructor.
class RoundingScope {
 public:
  explicit RoundingScope(Rounding rounding) : is_nearest_(rounding == Rounding::nearest) {
    if (!is_nearest_) std::fesetround(mode_of(rounding));
  }
  ~RoundingScope() {
    if (!is_nearest_) std::fesetround(FE_TONEAREST);
  }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  static int mode_of(Rounding rounding) {
    switch (rounding) {
      case Rounding::zero: return FE_TOWARDZERO;
      case Rounding::down: return FE_DOWNWARD;
      case Rounding::up: return FE_UPWARD;
      default: return FE_TONEAREST;
    }
  }

  bool is_nearest_;
};

// Returns the number, or zero of the same sign if it is subnormal (.ftz).
inline float flushed(float value) {
  return std::fabs(value) < std::numeric_limits<float>::min() ? std::copysign(0.0f, value) : value;
}

// Returns the value; for NaN, returns the bits of NaN that single-precision instructions produce.
inline float canonical(float value) { return value == value ? value : std::bit_cast<float>(0x7fff'ffffu); }

// Limits a value to 0 to 1; NaN becomes 0 (.sat).
template <class T>
T saturated(T value) {
  if (!(value > T{0})) return T{0};
  return value > T{1} ? T{1} : value;
}

// Returns the value by which an instruction compares an operand.
template <class T>
T compared_value(T value, bool /*flush*/) {
  return value;
}
inline float compared_value(float value, bool flush) { return flush ? flushed(value) : value; }
template <int exponent_bits, int mantissa_bits>
double compared_value(SmallFloat<exponent_bits, mantissa_bits> value, bool flush) {
  return flush && value.is_subnormal() ? 0.0 : value.value();
}

}  // namespace wattune::simulate::ptx
