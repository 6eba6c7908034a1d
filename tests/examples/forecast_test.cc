// Which ways of running products of small matrices are taken for the fastest.
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

// On an H200 an odd number of threads in a row costs 22 % there: lanes that load vectors of A are served in pairs.
TEST(Forecast, LanesThatLoadVectorsOfARowReadTheSameInPairs) {
  EXPECT_THAT(values_of(likely_values({23, 15, 29}, 3), "PADD_C"), Each(1));
}

// Rows of A that are an odd number of elements apart are read one element at a time.
TEST(Forecast, RowsOfAnOddLengthGetAnEvenPitch) {
  EXPECT_EQ(value_of(likely_values({17, 24, 26}, 1)[0], "PADD_AA"), 1);
  EXPECT_EQ(value_of(likely_values({16, 24, 26}, 1)[0], "PADD_AA"), 0);
}

// Pairs that threads write go to a quarter of a sector each.
TEST(Forecast, PairsOfColumnsAreGathered) {
  EXPECT_THAT(values_of(likely_values({3, 7, 2}, 3), "DIRECT_WRITE"), Each(0));
}

TEST(Forecast, BlocksOfFewThreadsAreUnlikely) {
  for (const Sizes& sizes : draw_sizes(30, 4)) {
    const Values first = likely_values(sizes, 1)[0];
    const std::int64_t row = sizes.c + value_of(first, "PADD_C");
    EXPECT_GE(row * value_of(first, "GROUP_SIZE_Y") * value_of(first, "GROUP_SIZE_Z"), 48) << to_string(sizes);
  }
}

}  // namespace
}  // namespace batched_gemm
