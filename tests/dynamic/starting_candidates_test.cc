// Configurations with which a key may begin, and their order.
#include "dynamic/tuning/starting_candidates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "dynamic/scale_spec.h"

namespace wattune::inline v0_1::dynamic {
namespace {

using testing::ElementsAre;

KernelSpec spec_of_blocks() {
  return test::scale_spec(
      Language::opencl, "kernel void scale()", 64,
      {{.name = "BLOCK", .values = {8, 16, 32, 64}, .default_value = 64}, {.name = "ROUNDS", .values = {1, 2, 3}}});
}

std::vector<std::string> promising_with(Guess guess) {
  const auto problem = Problem::make(spec_of_blocks(), {}, {}).value();
  KernelOptions options;
  options.guess = std::move(guess);
  std::vector<std::string> promising;
  const StartingCandidates starting_candidates(*problem, {}, options);
  for (const Configuration& each : starting_candidates.promising()) promising.push_back(each.to_string());
  return promising;
}

TEST(StartingCandidates, GuessesComeInTheirOrderBeforeTheDefaultAndTakeItsValuesForWhatTheyLeaveOut) {
  const auto guess = [](const std::vector<NamedSize>&) {
    return std::vector<NamedValues>{{{"ROUNDS", 3}}, {{"BLOCK", 8}, {"ROUNDS", 2}}, {{"ROUNDS", 3}, {"BLOCK", 64}}};
  };
  EXPECT_THAT(promising_with(guess), ElementsAre("BLOCK=64, ROUNDS=3", "BLOCK=8, ROUNDS=2", "BLOCK=64, ROUNDS=1"));
}

TEST(StartingCandidates, AGuessThatTheSpaceLacksIsLeftOut) {
  const auto guess = [](const std::vector<NamedSize>&) {
    return std::vector<NamedValues>{{{"BLOCK", 7}}, {{"BLOCK", 32}}};
  };
  EXPECT_THAT(promising_with(guess), ElementsAre("BLOCK=32, ROUNDS=1", "BLOCK=64, ROUNDS=1"));
}

// These may be compiled at once for the beginning. Others are drawn at random, and help only if nothing else works.
TEST(StartingCandidates, TheLikeliestAreWhatIsPromisingAndWasNotTaken) {
  const auto problem = Problem::make(spec_of_blocks(), {}, {}).value();
  KernelOptions options;
  options.guess = [](const std::vector<NamedSize>&) {
    return std::vector<NamedValues>{{{"BLOCK", 8}}, {{"BLOCK", 16}}};
  };
  StartingCandidates starting_candidates(*problem, {}, options);
  const auto likeliest = [&](std::size_t most) {
    std::vector<std::string> words;
    for (const Configuration& each : starting_candidates.likeliest(most)) words.push_back(each.to_string());
    return words;
  };
  EXPECT_THAT(likeliest(2), ElementsAre("BLOCK=8, ROUNDS=1", "BLOCK=16, ROUNDS=1"));
  starting_candidates.take(starting_candidates.promising()[1]);
  EXPECT_THAT(likeliest(9), ElementsAre("BLOCK=8, ROUNDS=1", "BLOCK=64, ROUNDS=1"));
  for (int i = 0; i < 2; ++i) starting_candidates.take();
  EXPECT_THAT(likeliest(9), testing::SizeIs(1)) << "one of the others, as nothing promising is left";
}

TEST(StartingCandidates, AGuessThatThrowsIsNone) {
  const auto guess = [](const std::vector<NamedSize>&) -> std::vector<NamedValues> { throw std::runtime_error("no"); };
  EXPECT_THAT(promising_with(guess), ElementsAre("BLOCK=64, ROUNDS=1"));
}

}  // namespace
}  // namespace wattune::dynamic
