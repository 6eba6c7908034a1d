#include "slice/interface/slice_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "wattune/core/random.h"

namespace wattune::inline v0_1::slice {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::uint32_t divided(std::uint32_t number, const Divider& by) {
  return static_cast<std::uint32_t>((std::uint64_t{number} * by.multiplier) >> by.shift);
}

std::string message(const auto& result) { return result.error().to_string(); }

constexpr std::uint32_t kGreatest = (1u << 31) - 1;

TEST(Divider, IsExactAtEveryMultipleOfSmallDivisors) {
  for (std::uint32_t divisor = 1; divisor <= 300; ++divisor)
    for (std::uint32_t quotient : {0u, 1u, 2u, 1000u, kGreatest / divisor}) {
      const std::uint32_t at = quotient * divisor;
      EXPECT_EQ(divided(at, divider(divisor)), quotient) << at << " / " << divisor;
      if (at == 0) continue;
      EXPECT_EQ(divided(at - 1, divider(divisor)), (at - 1) / divisor) << at << " / " << divisor;
    }
}

TEST(Divider, IsExactForNumbersBelow2To31) {
  Random random(3);
  for (int i = 0; i < 200000; ++i) {
    const auto divisor = static_cast<std::uint32_t>(1 + random.below(std::uint64_t{1} << random.below(32)) % kGreatest);
    const auto number = static_cast<std::uint32_t>(random.below(std::uint64_t{1} << 31));
    ASSERT_EQ(divided(number, divider(divisor)), number / divisor) << number << " / " << divisor;
    ASSERT_EQ(divided(kGreatest, divider(divisor)), kGreatest / divisor) << divisor;
  }
}

// A plane has 12 rows of 10 blocks. A target of 25 blocks holds 2 rows, one of 130 a plane, and one of 4 a third of a
// row (3, 3 and 4 blocks).
TEST(Boxes, AreWholePlanesElseWholeRowsElseEvenPartsOfARow) {
  const Grid grid{10, 12, 3};
  EXPECT_THAT(boxes(grid, 130).value(),
              ElementsAre(Box{{0, 0, 0}, {10, 12, 1}}, Box{{0, 0, 1}, {10, 12, 1}}, Box{{0, 0, 2}, {10, 12, 1}}));
  EXPECT_EQ(boxes(grid, 25).value().size(), 18u);
  EXPECT_EQ(boxes(grid, 25).value()[7], (Box{{0, 2, 1}, {10, 2, 1}}));
  const std::vector<Box> parts = boxes(grid, 4).value();
  ASSERT_EQ(parts.size(), 108u);
  EXPECT_EQ(parts[0], (Box{{0, 0, 0}, {3, 1, 1}}));
  EXPECT_EQ(parts[2], (Box{{6, 0, 0}, {4, 1, 1}}));
  EXPECT_THAT(boxes(grid, 1000).value(), ElementsAre(Box{{0, 0, 0}, grid}));
}

// Planes have 12 rows of 10. From block 15 on follow half a row, 10 rows, a plane, 11 rows and 3 blocks.
TEST(Boxes, OfARangeAreTheRestOfARowAndOfAPlaneAndWholePlanes) {
  EXPECT_THAT(boxes_of({10, 12, 4}, 15, 5 + 100 + 120 + 110 + 3),
              ElementsAre(Box{{5, 1, 0}, {5, 1, 1}}, Box{{0, 2, 0}, {10, 10, 1}}, Box{{0, 0, 1}, {10, 12, 1}},
                          Box{{0, 0, 2}, {10, 11, 1}}, Box{{0, 11, 2}, {3, 1, 1}}));
  EXPECT_THAT(boxes_of({10, 12, 4}, 120, 240), ElementsAre(Box{{0, 0, 1}, {10, 12, 2}}));
  EXPECT_THAT(boxes_of({10, 12, 4}, 12, 3), ElementsAre(Box{{2, 1, 0}, {3, 1, 1}}));
  EXPECT_TRUE(boxes_of({10, 12, 4}, 480, 0).empty());
}

TEST(Boxes, OfARangeHaveItsBlocksInTheirOrder) {
  Random random(6);
  for (int i = 0; i < 300; ++i) {
    const auto side = [&](std::uint64_t most) { return static_cast<std::uint32_t>(1 + random.below(most)); };
    const Grid grid{side(7), side(6), side(5)};
    const std::uint64_t all = std::uint64_t{grid.x} * grid.y * grid.z;
    const std::uint64_t first = random.below(all);
    const std::vector<Box> boxes = boxes_of(grid, first, 1 + random.below(all - first));
    ASSERT_LE(boxes.size(), 5u);
    std::uint64_t next = first;
    for (const Box& box : boxes)
      for (std::uint32_t z = 0; z < box.size.z; ++z)
        for (std::uint32_t y = 0; y < box.size.y; ++y)
          for (std::uint32_t x = 0; x < box.size.x; ++x, ++next)
            ASSERT_EQ(((box.origin.z + z) * grid.y + box.origin.y + y) * grid.x + box.origin.x + x, next);
  }
}

TEST(Boxes, HaveEveryBlockExactlyOnceAndNoneGreaterThanTheTarget) {
  Random random(5);
  for (int i = 0; i < 300; ++i) {
    const auto side = [&](std::uint64_t most) { return static_cast<std::uint32_t>(1 + random.below(most)); };
    const Grid grid{side(30), side(9), side(5)};
    const std::uint64_t target = 1 + random.below(300);
    std::vector<int> seen(grid.x * grid.y * grid.z, 0);
    const std::vector<Box> slices = boxes(grid, target).value();
    for (const Box& box : slices) {
      ASSERT_LE(std::uint64_t{box.size.x} * box.size.y * box.size.z, target);
      for (std::uint32_t z = 0; z < box.size.z; ++z)
        for (std::uint32_t y = 0; y < box.size.y; ++y)
          for (std::uint32_t x = 0; x < box.size.x; ++x)
            ++seen[((box.origin.z + z) * grid.y + box.origin.y + y) * grid.x + box.origin.x + x];
    }
    ASSERT_EQ(std::ranges::count(seen, 1), static_cast<std::ptrdiff_t>(seen.size()));
  }
}

TEST(Boxes, NeedBlocks) {
  EXPECT_EQ(message(boxes({4, 0, 1}, 8)), "a grid without blocks: `4 x 0 x 1`");
  EXPECT_EQ(message(boxes({4, 4, 1}, 0)), "slices of 0 blocks");
}

// The computation follows the twin's: the row, the rest of the row, then the plane.
TEST(LinearWords, TurnNumbersIntoTheIndicesOfTheirBlocks) {
  const Grid grid{7, 5, 3};
  const LinearWords words = linear_words(grid, 0).value();
  std::uint32_t number = 0;
  for (std::uint32_t z = 0; z < grid.z; ++z)
    for (std::uint32_t y = 0; y < grid.y; ++y)
      for (std::uint32_t x = 0; x < grid.x; ++x, ++number) {
        const std::uint32_t row = divided(number, words.by_x);
        const std::uint32_t plane = divided(row, words.by_y);
        EXPECT_EQ((Grid{number - row * grid.x, row - plane * grid.y, plane}), (Grid{x, y, z}));
      }
}

TEST(SliceWords, RefuseGridsThatCannotBeNumbered) {
  EXPECT_THAT(message(linear_words({65536, 32768, 1}, 0)), HasSubstr("2^31 blocks or more: `65536 x 32768 x 1`"));
  EXPECT_THAT(message(guard_words({~0u, ~0u, ~0u}, 0, 1)), HasSubstr("2^31 blocks or more"));
  EXPECT_THAT(message(linear_words({4, 4, 1}, 16)), HasSubstr("there is no block 16 in this grid"));
  EXPECT_THAT(message(guard_words({4, 4, 1}, 8, 17)), HasSubstr("there are no blocks 8 to 17"));
  EXPECT_THAT(message(guard_words({4, 4, 1}, 8, 8)), HasSubstr("there are no blocks 8 to 8"));
}

TEST(PersistentWords, NeedAlignedAddressesAndAChunk) {
  const Grid grid{4, 4, 1};
  EXPECT_THAT(message(persistent_words(grid, {.counter = 0, .stop = 8})),
              HasSubstr("the counter is a word of 8 bytes"));
  EXPECT_THAT(message(persistent_words(grid, {.counter = 12, .stop = 8})), HasSubstr("`0xc`"));
  EXPECT_THAT(message(persistent_words(grid, {.counter = 16, .stop = 2})),
              HasSubstr("the stop word is one of 4 bytes"));
  EXPECT_THAT(message(persistent_words(grid, {.counter = 16, .stop = 8, .chunk = 0})), HasSubstr("chunks of 0"));
  const PersistentWords words = persistent_words(grid, {.counter = 16, .stop = 8, .chunk = 3}).value();
  EXPECT_EQ(words.blocks, 16u);
  EXPECT_EQ(words.chunk, 3u);
  EXPECT_EQ(words.ahead, 0u);
  EXPECT_EQ(persistent_words(grid, {.counter = 16, .stop = 8, .chunk = ~0u, .ahead = true}).value().chunk, 65536u);
  EXPECT_EQ(persistent_words(grid, {.counter = 16, .stop = 8, .ahead = true}).value().ahead, 1u);
}

}  // namespace
}  // namespace wattune::slice
