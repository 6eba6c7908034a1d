// Converts doubles to floating-point numbers of at most 16 bits, with every rounding that PTX has.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "simulate/ptx/operation.h"

namespace wattune::inline v0_1::simulate::ptx {

// Rounds a magnitude to a whole number. Rounding up and down refers to the signed value.
inline double round_magnitude(double magnitude, bool negative, Rounding rounding) {
  switch (rounding) {
    case Rounding::zero: return std::floor(magnitude);
    case Rounding::down: return negative ? std::ceil(magnitude) : std::floor(magnitude);
    case Rounding::up: return negative ? std::floor(magnitude) : std::ceil(magnitude);
    case Rounding::away: return std::round(magnitude);
    default: return std::nearbyint(magnitude);
  }
}

// Returns the bits of a value in an IEEE 754 format with this many bits. For NaN, all bits except the sign are set, as
// on GPUs.
template <int exponent_bits, int mantissa_bits>
std::uint32_t narrow(double value, Rounding rounding) {
  constexpr std::uint32_t kSign = 1u << (exponent_bits + mantissa_bits);
  constexpr std::uint32_t kInfinity = ((1u << exponent_bits) - 1) << mantissa_bits;
  constexpr int kBias = (1 << (exponent_bits - 1)) - 1;
  if (std::isnan(value)) return kSign - 1;
  const bool negative = std::signbit(value);
  const std::uint32_t sign = negative ? kSign : 0;
  if (std::isinf(value)) return sign | kInfinity;
  if (value == 0.0) return sign;
  int exponent = 0;
  std::frexp(value, &exponent);
  exponent = std::max(exponent - 1, 1 - kBias);
  // The value in units of the last place. If rounding carries into the exponent, the result is still right.
  const double units = std::ldexp(std::fabs(value), mantissa_bits - exponent);
  const double rounded = round_magnitude(units, negative, rounding) + std::ldexp(exponent + kBias - 1, mantissa_bits);
  if (rounded < kInfinity) return sign | static_cast<std::uint32_t>(rounded);
  const bool stays_finite = rounding == Rounding::zero || rounding == (negative ? Rounding::up : Rounding::down);
  return sign | (stays_finite ? kInfinity - 1 : kInfinity);
}

template <int exponent_bits, int mantissa_bits>
double widen(std::uint32_t bits) {
  constexpr int kBias = (1 << (exponent_bits - 1)) - 1;
  constexpr int kLargest = (1 << exponent_bits) - 1;
  const std::uint32_t fraction = bits & ((1u << mantissa_bits) - 1);
  const int exponent = static_cast<int>(bits >> mantissa_bits) & kLargest;
  double magnitude = 0.0;
  if (exponent == kLargest)
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  else if (exponent == 0)
    magnitude = std::ldexp(fraction, 1 - kBias - mantissa_bits);
  else
    magnitude = std::ldexp(fraction + (1u << mantissa_bits), exponent - kBias - mantissa_bits);
  return (bits >> (exponent_bits + mantissa_bits) & 1) != 0 ? -magnitude : magnitude;
}

template <int exponent_bits, int mantissa_bits>
struct SmallFloat {
  std::uint16_t bits = 0;

  static SmallFloat from(double value, Rounding rounding = Rounding::nearest) {
    return {static_cast<std::uint16_t>(narrow<exponent_bits, mantissa_bits>(value, rounding))};
  }
  double value() const { return widen<exponent_bits, mantissa_bits>(bits); }
  bool is_subnormal() const { return (bits >> mantissa_bits & ((1 << exponent_bits) - 1)) == 0; }
};

using Half = SmallFloat<5, 10>;
using Bfloat = SmallFloat<8, 7>;

// Two floating-point numbers of 16 bits in a word of 32 bits, the first in the lower half.
template <class Number>
struct PairOf {
  Number low;
  Number high;
};

}  // namespace wattune::simulate::ptx
