#include "wattune/core/trial.h"

#include <gtest/gtest.h>

#include "wattune/core/kernel_spec.h"

namespace wattune {
namespace {

Trial timed(double ns) {
  Trial trial;
  trial.observation.statistics = Statistics{.median = Nanoseconds(ns)};
  return trial;
}

Trial failed(Status status) {
  Trial trial;
  trial.observation.status = status;
  return trial;
}

TEST(ResultSet, BestIsTheFastestCorrectTrial) {
  ResultSet results;
  EXPECT_EQ(results.best(), nullptr);
  results.trials = {failed(Status::compile), timed(30), timed(10), timed(20)};
  ASSERT_NE(results.best(), nullptr);
  EXPECT_DOUBLE_EQ(results.best()->observation.objective(), 10.0);
}

TEST(Status, NamesReadBack) {
  for (const Status status : kAllStatuses) EXPECT_EQ(parse_status(to_string(status)), status);
  EXPECT_FALSE(parse_status("fine"));
}

TEST(ElementType, AcceptsNamesOfCAndT1) {
  EXPECT_EQ(parse_element_type("float"), ElementType::float32);
  EXPECT_EQ(parse_element_type("float64"), ElementType::float64);
  EXPECT_EQ(parse_element_type("half"), ElementType::float16);
  EXPECT_FALSE(parse_element_type("quad"));
  EXPECT_EQ(size_in_bytes(ElementType::float64), 8u);
}

}  // namespace
}  // namespace wattune
