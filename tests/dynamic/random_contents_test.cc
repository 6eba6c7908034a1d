// Kept random contents equal those that would be drawn anew.
#include "dynamic/screening/random_contents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/interface/arguments.h"
#include "tune/problem.h"

namespace wattune::inline v0_1::dynamic {
namespace {

using testing::Each;
using testing::IsNull;

// Returns a spec whose x is filled at random.
KernelSpec spec_of(std::int64_t n, const FillUniform& fill = {}) {
  KernelSpec spec = tune::scale_spec();
  spec.problem_size = {{"n", n}};
  std::get<VectorArgument>(spec.arguments[1].kind).fill = fill;
  return spec;
}

RandomContents::Contents drawn_for(RandomContents& contents, const KernelSpec& spec) {
  return contents.of(spec, tune::space_of(spec));
}

std::vector<std::byte> drawn_anew(const KernelSpec& spec) {
  constexpr std::uint64_t kPosition = 1;
  const auto n = static_cast<std::size_t>(spec.problem_size[0].value);
  return measure::make_contents(std::get<VectorArgument>(spec.arguments[kPosition].kind), n, kPosition + 1).value();
}

bool begins_with(const tune::SharedBytes& contents, const std::vector<std::byte>& beginning) {
  return contents->size() >= beginning.size() && std::equal(beginning.begin(), beginning.end(), contents->begin());
}

TEST(RandomContents, BeginWithWhatEachSizeWouldHaveByItself) {
  RandomContents contents;
  for (const std::int64_t n : {64, 640, 128}) {
    const auto all = drawn_for(contents, spec_of(n));
    EXPECT_TRUE(begins_with(all[1], drawn_anew(spec_of(n)))) << n;
    EXPECT_THAT(all[0], IsNull()) << "it is only written";
    EXPECT_THAT(all[2], IsNull()) << "a scalar";
  }
}

// Somewhat larger sizes use the same drawing too.
TEST(RandomContents, AreDrawnOnceForSizesThatFollow) {
  RandomContents contents;
  drawn_for(contents, spec_of(64));
  const auto second = drawn_for(contents, spec_of(70))[1];
  for (const std::int64_t n : {70, 100, 64}) EXPECT_EQ(drawn_for(contents, spec_of(n))[1], second) << n;
}

TEST(RandomContents, StayWithWhomTheyWereGivenTo) {
  RandomContents contents;
  const auto first = drawn_for(contents, spec_of(64))[1];
  drawn_for(contents, spec_of(640));
  contents.forget();
  EXPECT_TRUE(begins_with(first, drawn_anew(spec_of(64))));
}

TEST(RandomContents, OtherFillsAreOthers) {
  RandomContents contents;
  drawn_for(contents, spec_of(64));
  const KernelSpec seeded = spec_of(64, {.seed = 7});
  EXPECT_TRUE(begins_with(drawn_for(contents, seeded)[1], drawn_anew(seeded)));
  EXPECT_FALSE(begins_with(drawn_for(contents, seeded)[1], drawn_anew(spec_of(64))));
}

TEST(RandomContents, WhatIsNotRandomIsLeftToTheSpec) {
  RandomContents contents;
  EXPECT_THAT(drawn_for(contents, tune::scale_spec()), Each(IsNull()));
}

}  // namespace
}  // namespace wattune::dynamic
