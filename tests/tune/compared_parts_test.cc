#include "tune/interface/compared_parts.h"

#include <gtest/gtest.h>

#include <limits>

#include "tune/problem.h"

namespace wattune::inline v0_1::tune {
namespace {

// A struct of one byte, three of padding, and a float.
struct Tagged {
  std::uint8_t tag;
  std::uint8_t padding[3];
  float value;
};

Argument tagged_argument() {
  VectorArgument vector;
  vector.length = at_line("n", 10);
  vector.access = ArgumentAccess::read_write;
  vector.fields = {{"tag", ElementType::uint8, FillConstant{7}}, {"value", ElementType::float32, FillIota{}}};
  return {"items", std::move(vector), {"spec.toml", 10, 1}};
}

Argument compared_floats(OutputComparison comparison) {
  Argument argument = vector_argument("y", ArgumentAccess::write_only);
  std::get<VectorArgument>(argument.kind).comparison = comparison;
  return argument;
}

template <typename T>
std::string difference_of(const Argument& argument, const std::vector<T>& actual, const std::vector<T>& expected,
                          std::optional<std::size_t> length = {}) {
  return difference(argument, rules_of(std::get<VectorArgument>(argument.kind), {}), length,
                    std::as_bytes(std::span(actual)), std::as_bytes(std::span(expected)));
}

TEST(ComparedParts, PaddingDoesNotCount) {
  const std::vector<Tagged> actual{{1, {9, 9, 9}, 0.5f}, {2, {}, 1.5f}};
  EXPECT_EQ(difference_of(tagged_argument(), actual, {{1, {}, 0.5f}, {2, {}, 1.5f}}), "");
}

// Kernels in OpenCL may write anything behind the three components of a vector.
TEST(ComparedParts, PaddingOfVectorsDoesNotCount) {
  Argument argument = vector_argument("v", ArgumentAccess::write_only);
  auto& vector = std::get<VectorArgument>(argument.kind);
  vector.vector_width = 3;
  vector.padding = 1;
  EXPECT_EQ(difference_of<float>(argument, {1, 2, 3, 9, 4, 5, 6, 9}, {1, 2, 3, 0, 4, 5, 6, 0}), "");
  EXPECT_NE(difference_of<float>(argument, {1, 2, 3, 9, 4, 5, 7, 9}, {1, 2, 3, 0, 4, 5, 6, 0}), "");
  EXPECT_EQ(difference_of<float>(argument, {1, 2, 3, 9, 4, 5, 7, 9}, {1, 2, 3, 0, 4, 5, 6, 0}, 1), "");
}

TEST(ComparedParts, FieldsAreComparedByTheirTypes) {
  const std::vector<Tagged> actual{{1, {}, 0.5f}, {2, {}, 1.5f}};
  EXPECT_EQ(difference_of(tagged_argument(), actual, {{1, {}, 0.50001f}, {3, {}, 1.5f}}),
            "`items.tag`: 1 of 2 elements is wrong, first at [1]: expected 3, got 2 (largest error 1)");
}

// Both sums are 6: 1 + 2 + 3 = 0 + 6.
TEST(ComparedParts, SumsFitAnyLength) {
  EXPECT_EQ(difference_of<float>(compared_floats(OutputComparison::sum), {1, 2, 3}, {0, 6}), "");
  EXPECT_EQ(difference_of<float>(compared_floats(OutputComparison::sum), {1, 2, 3}, {7}),
            "`y`: the sum should be 7, it is 6");
}

TEST(ComparedParts, WhatNobodyWroteSpoilsTheSum) {
  const float poison = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(difference_of<float>(compared_floats(OutputComparison::sum), {6, poison}, {6}),
            "`y`: the sum should be 6, it is nan");
}

TEST(ComparedParts, OnlyTheBeginningCountsWhenAsked) {
  EXPECT_EQ(difference_of<float>(compared_floats(OutputComparison::elements), {1, 2, 3}, {1, 2}, 2), "");
  EXPECT_NE(difference_of<float>(compared_floats(OutputComparison::elements), {1, 3}, {1, 2}, 2), "");
  EXPECT_EQ(difference_of<float>(compared_floats(OutputComparison::elements), {1}, {1, 2}, 2),
            "`y`: has fewer than the 2 elements to compare");
}

// Doubles every value, except in mode 1, and destroys the padding.
Result<Nanoseconds> double_values(const fakes::FakeLaunch& launch) {
  for (Tagged& item : launch.elements<Tagged>(0)) {
    EXPECT_EQ(item.tag, 7);
    item.padding[0] = 1;
    if (launch.macro("mode") != 1.0) item.value *= 2.0f;
  }
  return Nanoseconds(1000.0);
}

KernelSpec tagged_spec() {
  KernelSpec spec = scale_spec();
  spec.arguments = {tagged_argument()};
  ReferenceKernel reference;
  reference.source.function = "plain";
  reference.source.text = "kernel void plain()";
  reference.geometry = spec.geometry;
  spec.reference = reference;
  return spec;
}

TEST(Structs, AreFilledFieldByFieldAndCompared) {
  Problem problem(tagged_spec());
  problem.device.add_kernel("scale", 1, double_values);
  problem.device.add_kernel("plain", 1, [](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    const auto items = launch.elements<Tagged>(0);
    EXPECT_EQ(items.size(), 64u);
    EXPECT_EQ(items[63].value, 63.0f);
    for (Tagged& item : items) item.value += item.value;
    return Nanoseconds(1.0);
  });
  ASSERT_TRUE(problem.start());
  EXPECT_EQ(problem.evaluate(8, 0)->message, "");
  EXPECT_EQ(problem.evaluate(8, 1)->message,  // all but the first, which is 0
            "`items.value`: 63 of 64 elements are wrong, first at [1]: expected 2, got 1 (largest error 63)");
}

TEST(CompareLength, MustNotDependOnParameters) {
  KernelSpec spec = tagged_spec();
  std::get<VectorArgument>(spec.arguments[0].kind).compared_length = at_line("block", 11);
  Problem problem(spec);
  problem.device.add_kernel("scale", 1, double_values);
  problem.device.add_kernel("plain", 1, double_values);
  const auto started = problem.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().to_string(),
            "spec.toml:11:1: `compare_length` must not depend on tuning parameters: `block`");
}

TEST(CompareLength, MustFitTheOutput) {
  KernelSpec spec = tagged_spec();
  std::get<VectorArgument>(spec.arguments[0].kind).compared_length = at_line("n + 1", 11);
  Problem problem(spec);
  problem.device.add_kernel("plain", 1, double_values);
  const auto started = problem.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().to_string(),
            "spec.toml:11:1: `compare_length` is 65, but the output has 64 elements: `n + 1`");
}

TEST(CompareNone, LeavesNothingToCompare) {
  KernelSpec spec = tagged_spec();
  std::get<VectorArgument>(spec.arguments[0].kind).comparison = OutputComparison::none;
  Problem problem(spec);
  problem.device.add_kernel("plain", 1, double_values);
  const auto started = problem.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code(), ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace wattune::tune
