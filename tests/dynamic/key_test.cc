#include "wattune/dynamic/key.h"

#include <gtest/gtest.h>

#include <cmath>

namespace wattune::inline v0_1::dynamic {
namespace {

TEST(Key, IsWrittenByNameInOrder) {
  EXPECT_EQ(to_string(Key{{"rows", 1024}, {"layout", "row"}, {"fused", true}}), "rows=1024, layout=row, fused=True");
}

TEST(Key, OfSizesHasThemInOrder) {
  EXPECT_EQ(key_of({{"rows", 3}, {"columns", 4}}), (Key{{"rows", std::int64_t{3}}, {"columns", std::int64_t{4}}}));
}

TEST(KeyDistance, AddsTheLogarithmsOfTheRatiosOfSizes) {
  // log(2048 / 1024) + log(96 / 24) = log 2 + log 4 = log 8, whichever comes first.
  const Key a{{"rows", 1024}, {"columns", 96}};
  const Key b{{"rows", 2048}, {"columns", 24}};
  EXPECT_NEAR(distance(a, b).value(), std::log(8.0), 1e-12);
  EXPECT_NEAR(distance(b, a).value(), std::log(8.0), 1e-12);
  EXPECT_EQ(distance(a, a), 0.0);
}

TEST(KeyDistance, IsNoneBetweenKinds) {
  EXPECT_FALSE(distance(Key{{"layout", "row"}}, Key{{"layout", "column"}}));
  EXPECT_FALSE(distance(Key{{"fused", true}}, Key{{"fused", false}}));
  EXPECT_FALSE(distance(Key{{"rows", 2}}, Key{{"columns", 2}}));
  EXPECT_FALSE(distance(Key{{"rows", 2}}, Key{{"rows", 2}, {"columns", 2}}));
}

TEST(KeyDistance, OfSizesThatAreNotPositiveIsNoneUnlessTheyAreEqual) {
  EXPECT_FALSE(distance(Key{{"offset", 0}}, Key{{"offset", 4}}));
  EXPECT_FALSE(distance(Key{{"offset", -4}}, Key{{"offset", 4}}));
  EXPECT_EQ(distance(Key{{"offset", 0}}, Key{{"offset", 0}}), 0.0);
}

}  // namespace
}  // namespace wattune::dynamic
