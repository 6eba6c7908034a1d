// What is kept of random contents is what would be drawn anew.
#include "dynamic/random_contents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tune/problem.h"
#include "wattune/measure/arguments.h"

namespace wattune::dynamic {
namespace {

using testing::IsEmpty;

// x is drawn at random.
KernelSpec spec_of(std::int64_t n, const FillUniform& fill = {}) {
  KernelSpec spec = tune::scale_spec();
  spec.problem_size = {{"n", n}};
  std::get<VectorArgument>(spec.arguments[1].kind).fill = fill;
  return spec;
}

RandomContents::Contents contents_of(RandomContents& contents, const KernelSpec& spec) {
  return contents.of(spec, tune::space_of(spec));
}

std::vector<std::byte> drawn_anew(const KernelSpec& spec) {
  constexpr std::uint64_t kPosition = 1;
  const auto n = static_cast<std::size_t>(spec.problem_size[0].value);
  return measure::make_contents(std::get<VectorArgument>(spec.arguments[kPosition].kind), n, kPosition + 1).value();
}

TEST(RandomContents, AreWhatEachSizeWouldHaveByItself) {
  RandomContents contents;
  for (const std::int64_t n : {64, 640, 128}) {
    const auto all = contents_of(contents, spec_of(n));
    EXPECT_EQ(all[1], drawn_anew(spec_of(n))) << n;
    EXPECT_THAT(all[0], IsEmpty()) << "it is only written";
    EXPECT_THAT(all[2], IsEmpty()) << "a scalar";
  }
}

TEST(RandomContents, OtherFillsAreOthers) {
  RandomContents contents;
  contents_of(contents, spec_of(64));
  const KernelSpec seeded = spec_of(64, {.seed = 7});
  EXPECT_EQ(contents_of(contents, seeded)[1], drawn_anew(seeded));
  EXPECT_NE(contents_of(contents, seeded)[1], contents_of(contents, spec_of(64))[1]);
}

TEST(RandomContents, WhatIsNotRandomIsLeftToTheSpec) {
  RandomContents contents;
  EXPECT_THAT(contents_of(contents, tune::scale_spec())[1], IsEmpty());
}

}  // namespace
}  // namespace wattune::dynamic
