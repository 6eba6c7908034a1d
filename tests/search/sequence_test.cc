#include "search/interface/sequence.h"

#include <gtest/gtest.h>

#include "search/interface/company_walk.h"

namespace wattune::inline v0_1::search {
namespace {

space::SearchSpace ten_values() {
  Parameter one{.name = "one", .values = {}, .default_value = {}, .position = {}};
  for (std::int64_t value = 0; value < 10; ++value) one.values.emplace_back(value);
  return space::SearchSpace::build({one}, {}).value();
}

// Returns a walk that would go on to the value 1 if it were told that this is better.
std::unique_ptr<Strategy> walk_that_ends(const space::SearchSpace& space) {
  CompanyKernel kernel{.parameters = {0}, .candidates = {{{4}, 1.0, 64}, {{1}, 1.0, 32}}};
  return make_company_walk(space, {kernel});
}

Observation observation_with(double objective) {
  Observation observation;
  observation.statistics = Statistics{.median = Nanoseconds(objective)};
  return observation;
}

TEST(Sequence, GoesOnWithTheSecondWhereTheFirstEndedAndRepeatsNothing) {
  const space::SearchSpace space = ten_values();
  const auto both = make_sequence(space, walk_that_ends(space), make_strategy("exhaustive", space).value());
  std::vector<ConfigurationId> asked;
  for (auto ids = both->ask(1); !ids.empty(); ids = both->ask(1)) {
    asked.push_back(ids.front());
    both->tell(ids.front(), observation_with(5.0));
  }
  EXPECT_EQ(asked, (std::vector<ConfigurationId>{4, 1, 0, 2, 3, 5, 6, 7, 8, 9}));
}

TEST(Sequence, WaitsForWhatTheFirstWaitsFor) {
  const space::SearchSpace space = ten_values();
  const auto both = make_sequence(space, walk_that_ends(space), make_strategy("exhaustive", space).value());
  EXPECT_EQ(both->ask(3), (std::vector<ConfigurationId>{4}));  // the walk's next step depends on this one
  both->tell(4, observation_with(5.0));
  EXPECT_EQ(both->ask(1), (std::vector<ConfigurationId>{1}));
}

TEST(Sequence, TellsBothOfEarlierRuns) {
  const space::SearchSpace space = ten_values();
  const auto both = make_sequence(space, walk_that_ends(space), make_strategy("exhaustive", space).value());
  for (const ConfigurationId id : {4, 1, 0}) both->tell(id, observation_with(5.0));
  EXPECT_EQ(both->ask(1), (std::vector<ConfigurationId>{2}));
}

}  // namespace
}  // namespace wattune::search
