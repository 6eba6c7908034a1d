// Converts between the bits of IEEE 754 half precision or bfloat16, for which C++20 has no types, and float or double.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace wattune::inline v0_1::measure {

// Converts the bits of a half to a float.
inline float half_to_float(std::uint16_t bits) {
  const std::uint32_t sign = std::uint32_t{bits & 0x8000u} << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1fu;
  const std::uint32_t fraction = bits & 0x3ffu;
  if (exponent == 0) {  // zero and subnormals: fraction * 2^-24, exact in float
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t wide_exponent = exponent == 0x1f ? 0xffu : exponent + (127 - 15);
  return std::bit_cast<float>(sign | (wide_exponent << 23) | (fraction << 13));
}

// Converts a number to the bits of the nearest half, ties to even. Numbers that are too large become infinity.
inline std::uint16_t half_from_double(double value) {
  const unsigned sign = std::signbit(value) ? 0x8000u : 0u;
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00u);
  if (magnitude >= 65520.0) return static_cast<std::uint16_t>(sign | 0x7c00u);  // half way from 65504 to 65536
  // Rounding up may carry into the exponent, which then has the right value.
  if (magnitude < 0x1p-14)
    return static_cast<std::uint16_t>(sign + static_cast<unsigned>(std::nearbyint(magnitude * 0x1p24)));
  const int exponent = std::ilogb(magnitude);
  const auto significand = static_cast<unsigned>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));  // 1024 to 2048
  return static_cast<std::uint16_t>(sign + (static_cast<unsigned>(exponent + 14) << 10) + significand);
}

// Converts the bits of a bfloat16 to a float, of which they are the upper half.
inline float bfloat_to_float(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

// Converts a number to the bits of the nearest bfloat16, ties to even. The number is rounded to float first.
inline std::uint16_t bfloat_from_double(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace wattune::measure
