#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wattune/space/search_space.h"

namespace wattune::inline v0_1::space {
namespace {

using testing::ElementsAre;

std::vector<Parameter> parameters() {
  return {{"a", {1, 2, 4}, {}, {}}, {"b", {"x", "y"}, {}, {}}, {"c", {7, 8, 9}, {}, {}}};
}

// Returns a space of four of 18 configurations, one of which is listed twice; c is 8 or 9.
SearchSpace listed() {
  return SearchSpace::from_list(parameters(), {{2, 1, 2}, {0, 0, 1}, {0, 0, 2}, {2, 0, 1}, {0, 0, 1}}).value();
}

TEST(ListedSpace, HoldsExactlyTheList) {
  const SearchSpace space = listed();
  ASSERT_EQ(space.count(), 4u);
  EXPECT_TRUE(space.exact());
  std::vector<std::string> texts;
  for (ConfigurationId id = 0; id < 4; ++id) texts.push_back(space.configuration(id).to_string());
  EXPECT_THAT(texts, ElementsAre("a=1, b=x, c=8", "a=1, b=x, c=9", "a=4, b=x, c=8", "a=4, b=y, c=9"));
  for (ConfigurationId id = 0; id < 4; ++id) {
    ValueIndices indices;
    space.unrank(id, indices);
    EXPECT_EQ(space.rank(indices), id);
  }
  EXPECT_FALSE(space.contains({1, 0, 1}));
  EXPECT_FALSE(space.contains({0, 1, 1}));
  EXPECT_EQ(space.find(ValueIndices{0, 1, 1}).error().to_string(), "this configuration is not in the list");
}

TEST(ListedSpace, NeighboursAreOfTheList) {
  const SearchSpace space = listed();
  EXPECT_THAT(space.neighbours(0, Neighbourhood::hamming), ElementsAre(1, 2));
  // a takes 1 and 4 only, which are adjacent among the values that occur but not in the list of values.
  EXPECT_THAT(space.neighbours(0, Neighbourhood::adjacent), ElementsAre(1, 2, 3));
  EXPECT_THAT(space.neighbours(0, Neighbourhood::strictly_adjacent), ElementsAre(1));
}

TEST(ListedSpace, MayHoldOneConfiguration) {
  const SearchSpace space = SearchSpace::from_list(parameters(), {{1, 1, 0}}).value();
  ASSERT_EQ(space.count(), 1u);
  EXPECT_EQ(space.configuration(0).to_string(), "a=2, b=y, c=7");
  EXPECT_EQ(space.default_configuration(), 0u);
}

TEST(ListedSpace, HashTellsListsApart) {
  EXPECT_EQ(listed().content_hash(), listed().content_hash());
  EXPECT_NE(listed().content_hash(), SearchSpace::from_list(parameters(), {{0, 0, 1}}).value().content_hash());
}

TEST(ListedSpace, RefusesWhatIsNoList) {
  const auto message = [](std::vector<ValueIndices> list) {
    return SearchSpace::from_list(parameters(), std::move(list)).error().to_string();
  };
  EXPECT_EQ(message({}), "the list holds no configuration");
  EXPECT_EQ(message({{0, 0}}), "2 values for 3 parameters");
  EXPECT_EQ(message({{0, 2, 0}}), "parameter `b` has no value number 2");
}

}  // namespace
}  // namespace wattune::space
