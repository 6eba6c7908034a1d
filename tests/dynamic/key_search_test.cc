// Known configurations of one key in the space of another.
#include "dynamic/tuning/key_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "dynamic/scale_spec.h"

namespace wattune::inline v0_1::dynamic {
namespace {

// Builds the space of a key: the key gives SIZE, and PAD is 0 or pads SIZE to a multiple of four.
space::SearchSpace space_of(int size) {
  return space::SearchSpace::build({{.name = "SIZE", .values = {size}},
                                    {.name = "BLOCK", .values = {32, 64, 128}},
                                    {.name = "PAD", .values = {0, 1, 2, 3}}},
                                   {{"PAD == 0 or PAD == SIZE % 4", {}}})
      .value();
}

Configuration configuration_in(const space::SearchSpace& space, int size, int block, int pad) {
  return space.configuration(space.find({{{"SIZE", size}, {"BLOCK", block}, {"PAD", pad}}}).value());
}

TEST(KeySearch, WhatTheKeyGivesIsTheKeysOwn) {
  const space::SearchSpace of_5 = space_of(5);
  const space::SearchSpace of_9 = space_of(9);
  EXPECT_EQ(same_in(of_9, configuration_in(of_5, 5, 64, 1))->to_string(), "SIZE=9, BLOCK=64, PAD=1");
}

// For size 6 the padding is 2, so 0 and 2 are valid. Both are one place away from 1 in the list; the first is taken.
TEST(KeySearch, WhatIsNotValidForAnotherKeyIsChangedAsLittleAsPossible) {
  const space::SearchSpace of_5 = space_of(5);
  const space::SearchSpace of_6 = space_of(6);
  const Configuration best = configuration_in(of_5, 5, 128, 1);
  EXPECT_FALSE(same_in(of_6, best));
  EXPECT_EQ(nearest_in(of_6, best)->to_string(), "SIZE=6, BLOCK=128, PAD=0");
}

TEST(KeySearch, WhatHasOtherParametersIsLikeNothing) {
  const auto names = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"TILE"});
  EXPECT_FALSE(nearest_in(space_of(5), Configuration(0, names, {Value(8)})));
}

TEST(KeySearch, WhatThePolicyAsksTheApplicationIsOfTheKey) {
  const auto problem = Problem::make(test::scale_spec(Language::opencl, "kernel void scale()", 64,
                                                      {{.name = "BLOCK", .values = {1, 2}}}),
                                     {}, {{"n", 7}})
                           .value();
  TuningPolicy policy;
  EXPECT_EQ(plan_key_search(*problem, policy, {}).value().least_time, Nanoseconds());
  policy.least_time = [](const Key& key) {
    return std::optional(Nanoseconds(static_cast<double>(key.front().value.as_integer())));
  };
  EXPECT_EQ(plan_key_search(*problem, policy, {}).value().least_time, Nanoseconds(7));
  policy.good_enough = [](const Key&) -> std::optional<Nanoseconds> { throw std::runtime_error("no idea"); };
  EXPECT_EQ(plan_key_search(*problem, policy, {}).error().message(), "TuningPolicy::good_enough threw: no idea");
}

// Returns the order of all eight configurations; the default comes first.
std::vector<ConfigurationId> order_of_search(std::uint64_t seed) {
  const KernelSpec spec = test::scale_spec(Language::opencl, "kernel void scale()", 64,
                                           {{.name = "BLOCK", .values = {1, 2, 4, 8, 16, 32, 64, 128}}});
  const auto problem = Problem::make(spec, {}, {}).value();
  const KeySearch search = plan_key_search(*problem, {.seed = seed}, {}).value();
  std::vector<ConfigurationId> order;
  for (auto ids = search.strategy->ask(1); !ids.empty(); ids = search.strategy->ask(1)) {
    search.strategy->tell(ids[0], {.status = Status::runtime});
    order.push_back(ids[0]);
  }
  return order;
}

TEST(KeySearch, WhatIsSearchedCompletelyComesInAnotherOrderForEachSeed) {
  const std::vector<ConfigurationId> one = order_of_search(1);
  const std::vector<ConfigurationId> another = order_of_search(2);
  EXPECT_EQ(one.size(), 8u);
  EXPECT_EQ(one.front(), another.front());
  EXPECT_NE(one, another);
  EXPECT_THAT(one, testing::UnorderedElementsAreArray(another));
}

}  // namespace
}  // namespace wattune::dynamic
