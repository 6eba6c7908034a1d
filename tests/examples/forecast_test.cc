// Forecasts of the fastest ways of running products of small matrices.
#include "batched_gemm/forecast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "source_dir.h"
#include "wattune/space/search_space.h"

namespace batched_gemm {
namespace {

using testing::Each;

std::int64_t value_of(const Values& values, const std::string& name) {
  return std::ranges::find(values, name, &Values::value_type::first)->second.as_integer();
}

std::vector<std::int64_t> values_of(const std::vector<Values>& all, const std::string& name) {
  std::vector<std::int64_t> values;
  for (const Values& each : all) values.push_back(value_of(each, name));
  return values;
}

// Returns the loads from shared memory in loops that the compiler unrolls. NVRTC takes 0.1 s, and 0.1 s more for each
// hundred.
std::int64_t unrolled_loads(const Sizes& sizes, const Values& values) {
  if (value_of(values, "UNROLL_K") == 0) return 0;
  const std::int64_t pitch = sizes.a + value_of(values, "PADD_AA");
  const std::int64_t width = pitch % 4 == 0 ? 4 : pitch % 2 == 0 ? 2 : 1;
  return sizes.b * ((sizes.a + width - 1) / width);
}

TEST(Forecast, WhatIsLikelyIsInTheSpaceOfTheSize) {
  const std::string file = WATTUNE_SOURCE_DIR "/benchmarks/gemm_batched/gemm_batched.toml";
  std::vector<Sizes> all = draw_sizes(30, 3);
  all.insert(all.end(), {{2, 2, 2}, {32, 32, 32}, {2, 32, 2}, {32, 2, 32}});
  for (const Sizes& sizes : all) {
    const auto spec = spec_of(file, sizes, 1000).value();
    const auto space = wattune::space::SearchSpace::build(spec.parameters, spec.constraints).value();
    const std::vector<Values> likely = likely_values(sizes, 8);
    EXPECT_EQ(likely.size(), 8u) << to_string(sizes);
    for (Values each : likely) {
      for (const auto& [name, value] : given_by(sizes))
        if (name.starts_with("SIZE")) each.emplace_back(name, value);
      EXPECT_TRUE(space.find(each)) << to_string(sizes);
    }
  }
}

// On an H200 an odd number of threads in a row costs 22 % here, because lanes that load vectors of A are served in
// pairs.
TEST(Forecast, LanesThatLoadVectorsOfARowReadTheSameInPairs) {
  EXPECT_THAT(values_of(likely_values({23, 15, 29}, 3), "PADD_C"), Each(1));
}

// Rows of A that are an odd number of elements apart are read one element at a time.
TEST(Forecast, RowsOfAnOddLengthGetAnEvenPitch) {
  EXPECT_EQ(value_of(likely_values({17, 24, 26}, 1)[0], "PADD_AA"), 1);
  EXPECT_EQ(value_of(likely_values({16, 24, 26}, 1)[0], "PADD_AA"), 0);
}

// Pairs that threads write fill a quarter of a sector each.
TEST(Forecast, PairsOfColumnsAreGathered) {
  EXPECT_THAT(values_of(likely_values({3, 7, 2}, 3), "DIRECT_WRITE"), Each(0));
}

// The forecast prefers another way here by a few hundredths, but NVRTC takes half a second or more to compile it.
TEST(Forecast, WhatCompilesForLongIsNotTheFirst) {
  for (const Sizes& sizes : {Sizes{29, 32, 18}, Sizes{29, 28, 31}, Sizes{29, 32, 21}})
    EXPECT_LE(unrolled_loads(sizes, likely_values(sizes, 1)[0]), 300) << to_string(sizes);
}

TEST(Forecast, TwoOfTheFirstFourCompileQuickly) {
  for (const Sizes& sizes : draw_sizes(60, 5)) {
    const auto is_quick = [&](const Values& each) { return unrolled_loads(sizes, each) <= 75; };
    EXPECT_GE(std::ranges::count_if(likely_values(sizes, 4), is_quick), 2) << to_string(sizes);
  }
}

// A block of a single warp needs no barrier, but wastes its idle lanes.
TEST(Forecast, SmallBlocksAreLikelyOnlyWhereTheyFillTheirWarp) {
  for (const Sizes& sizes : draw_sizes(60, 4)) {
    const Values first = likely_values(sizes, 1)[0];
    const std::int64_t rows = value_of(first, "GROUP_SIZE_Y") * value_of(first, "GROUP_SIZE_Z");
    if ((sizes.c + value_of(first, "PADD_C")) * rows < 48) {
      EXPECT_GE(sizes.c * rows, 28) << to_string(sizes);
    }
  }
}

}  // namespace
}  // namespace batched_gemm
