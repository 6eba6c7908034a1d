// Time, energy, power, clock, temperature and voltage as types that cannot be mixed up.
//
// A quantity is a double in one fixed unit: nanoseconds, joules, watts, megahertz, °C, volts. Quantities of one kind
// add, compare and scale; energy over time gives power and power times time gives energy; nothing else compiles.
//
//   Joules e = Watts{300.0} * Nanoseconds{1e6};   // 0.3 J
#pragma once

#include <compare>

#include "wattune/core/export.h"

namespace wattune::inline v0_1 {

template <typename Unit>
class WATTUNE_EXPORT Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(double value) : value_(value) {}

  constexpr double value() const { return value_; }

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity other) { return value_ += other.value_, *this; }
  constexpr Quantity& operator-=(Quantity other) { return value_ -= other.value_, *this; }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value_ + b.value_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value_ - b.value_); }
  friend constexpr Quantity operator*(Quantity a, double factor) { return Quantity(a.value_ * factor); }
  friend constexpr Quantity operator*(double factor, Quantity a) { return Quantity(a.value_ * factor); }
  friend constexpr Quantity operator/(Quantity a, double divisor) { return Quantity(a.value_ / divisor); }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }

 private:
  double value_ = 0.0;
};

using Nanoseconds = Quantity<struct NanosecondUnit>;
using Joules = Quantity<struct JouleUnit>;
using Watts = Quantity<struct WattUnit>;
using Megahertz = Quantity<struct MegahertzUnit>;
using Celsius = Quantity<struct CelsiusUnit>;
using Volts = Quantity<struct VoltUnit>;

constexpr Nanoseconds nanoseconds_from_ms(double ms) { return Nanoseconds(ms * 1e6); }
constexpr Nanoseconds nanoseconds_from_seconds(double s) { return Nanoseconds(s * 1e9); }
constexpr double to_ms(Nanoseconds t) { return t.value() * 1e-6; }
constexpr double to_seconds(Nanoseconds t) { return t.value() * 1e-9; }

constexpr Joules operator*(Watts power, Nanoseconds time) { return Joules(power.value() * to_seconds(time)); }
constexpr Joules operator*(Nanoseconds time, Watts power) { return power * time; }
constexpr Watts operator/(Joules energy, Nanoseconds time) { return Watts(energy.value() / to_seconds(time)); }

}  // namespace wattune
