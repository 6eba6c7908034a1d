#include "wattune/core/units.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace wattune {
namespace {

template <typename A, typename B>
concept Addable = requires(A a, B b) { a + b; };
template <typename A, typename B>
concept Multipliable = requires(A a, B b) { a* b; };

TEST(Units, PowerTimesTimeIsEnergy) {
  // 300 W over 2 ms are 0.6 J.
  EXPECT_DOUBLE_EQ((Watts{300} * nanoseconds_from_ms(2)).value(), 0.6);
  EXPECT_DOUBLE_EQ((Joules{0.6} / nanoseconds_from_ms(2)).value(), 300.0);
}

TEST(Units, ConvertToAndFromSeconds) {
  EXPECT_DOUBLE_EQ(nanoseconds_from_seconds(1.5).value(), 1.5e9);
  EXPECT_DOUBLE_EQ(to_ms(Nanoseconds{2.5e6}), 2.5);
  EXPECT_DOUBLE_EQ(to_seconds(nanoseconds_from_ms(250)), 0.25);
}

TEST(Units, CompareAndScale) {
  EXPECT_LT(Nanoseconds{1}, Nanoseconds{2});
  EXPECT_EQ(2 * Nanoseconds{3} - Nanoseconds{1}, Nanoseconds{5});
  EXPECT_DOUBLE_EQ(Nanoseconds{6} / Nanoseconds{4}, 1.5);
}

TEST(Units, CannotBeMixedUp) {
  static_assert(Addable<Joules, Joules>);
  static_assert(!Addable<Joules, Nanoseconds>);
  static_assert(!Addable<Nanoseconds, double>);
  static_assert(!Multipliable<Joules, Joules>);
  static_assert(!std::is_convertible_v<double, Watts>);
}

}  // namespace
}  // namespace wattune
