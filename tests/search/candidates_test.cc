#include "search/models/candidates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "search/strategies/coordinates.h"

namespace wattune::inline v0_1::search {
namespace {

using space::SearchSpace;
using Ids = std::vector<ConfigurationId>;

// Returns a space so large that a configuration drawn at random is hardly ever near another one.
SearchSpace large_space() {
  std::vector<Parameter> parameters;
  for (int p = 0; p < 10; ++p) {
    Parameter& parameter = parameters.emplace_back();
    parameter.name = "p" + std::to_string(p);
    for (int v = 0; v < 10; ++v) parameter.values.emplace_back(v);
  }
  return SearchSpace::build(std::move(parameters), {}).value();
}

class Drawing : public CandidateSearch {
 public:
  explicit Drawing(const SearchSpace& space) : CandidateSearch(space, {.parameters = {{"neighbourhood", 0}}}) {}
  using CandidateSearch::draw_alike;
  using CandidateSearch::draw_candidates;

 private:
  Task<> search() override { co_return; }
};

std::size_t changes(const SearchSpace& space, ConfigurationId a, ConfigurationId b) {
  std::size_t count = 0;
  for (std::size_t p = 0; p < space.parameters().size(); ++p)
    count += coordinates(space, a)[p] != coordinates(space, b)[p] ? 1 : 0;
  return count;
}

std::size_t count_with(const SearchSpace& space, const Ids& ids, ConfigurationId from, std::size_t wanted) {
  return static_cast<std::size_t>(
      std::ranges::count_if(ids, [&](ConfigurationId id) { return changes(space, from, id) == wanted; }));
}

// There are 10 * 9 neighbours; the other 110 candidates lie anywhere.
TEST(Candidates, AreTheNeighboursOfTheBestAndOthersAnywhere) {
  const SearchSpace space = large_space();
  const ConfigurationId best = 1'234'567'890;
  const Ids ids = Drawing(space).draw_candidates({best}, 0);
  EXPECT_EQ(ids.size(), 200u);
  EXPECT_EQ(count_with(space, ids, best, 1), 90u);
  EXPECT_EQ(count_with(space, ids, best, 2), 0u);
}

// Each has 90 neighbours; the first gives its half of 150, the second the other half.
TEST(Candidates, AreSharedAmongTheElite) {
  const SearchSpace space = large_space();
  const ConfigurationId best = 1'234'567'890;
  const ConfigurationId second = 9'876'543'210;
  const Ids ids = Drawing(space).draw_candidates({best, second}, 0);
  EXPECT_EQ(count_with(space, ids, best, 1), 75u);
  EXPECT_EQ(count_with(space, ids, second, 1), 75u);
}

// Two steps in the same parameter, one time in ten, end at a neighbour or where they began.
TEST(Candidates, AreFartherAwayTheLongerNothingImproves) {
  const SearchSpace space = large_space();
  const ConfigurationId best = 1'234'567'890;
  const auto two_away = [&](std::size_t idle) {
    return count_with(space, Drawing(space).draw_candidates({best}, idle), best, 2);
  };
  EXPECT_NEAR(static_cast<double>(two_away(50)), 0.9 * 75, 8.0);
  EXPECT_NEAR(static_cast<double>(two_away(100)), 0.9 * 150, 12.0);
  EXPECT_NEAR(static_cast<double>(two_away(100'000)), 0.9 * 150, 12.0);
}

// An unvisited neighbour takes the place of a visited one.
TEST(Candidates, AreNotVisited) {
  const SearchSpace space = large_space();
  const ConfigurationId best = 1'234'567'890;
  Drawing drawing(space);
  Observation failed;
  failed.status = Status::runtime;
  const Ids near = space.neighbours(best, space::Neighbourhood::hamming);
  const std::set<ConfigurationId> told(near.begin(), near.begin() + 60);
  for (const ConfigurationId id : told) drawing.tell(id, failed);
  const Ids ids = drawing.draw_candidates({best, best, best}, 100);
  EXPECT_TRUE(std::ranges::none_of(ids, [&](ConfigurationId id) { return told.contains(id); }));
  const std::set<ConfigurationId> each(ids.begin(), ids.end());
  EXPECT_GE(count_with(space, Ids(each.begin(), each.end()), best, 1), 30u);
}

// Two good ones differ in p0 and p1. A configuration with p0 of one and p1 of the other differs from each in one
// parameter; any other differs from one of them in two or more. One of these two is a neighbour of one in five
// neighbours of a good one, so that the six that are looked at miss both one time in four.
TEST(Candidates, AlikeHaveWhatTheBestHaveInCommon) {
  const SearchSpace space = large_space();
  const ConfigurationId one = space.find({3, 1, 4, 1, 5, 9, 2, 6, 5, 3}).value();
  const ConfigurationId other = space.find({8, 7, 4, 1, 5, 9, 2, 6, 5, 3}).value();
  const std::set<ConfigurationId> mixed = {space.find({3, 7, 4, 1, 5, 9, 2, 6, 5, 3}).value(),
                                           space.find({8, 1, 4, 1, 5, 9, 2, 6, 5, 3}).value()};
  Drawing drawing(space);
  drawing.tell(one, {});
  drawing.tell(other, {});
  const auto count_mixed = [&] {
    int count = 0;
    for (int i = 0; i < 100; ++i) {
      const ConfigurationId id = drawing.draw_alike({one, other}).value();
      EXPECT_LE(std::min(changes(space, one, id), changes(space, other, id)), 2u);
      count += mixed.contains(id) ? 1 : 0;
    }
    return count;
  };
  EXPECT_NEAR(count_mixed(), 75, 15);
  for (const ConfigurationId id : mixed) drawing.tell(id, {});
  EXPECT_EQ(count_mixed(), 0);
}

TEST(Candidates, AlikeAreNotDrawnWhereAllIsVisited) {
  const auto space = SearchSpace::build({{"x", {0, 1, 2}, {}, {}}, {"y", {0, 1, 2}, {}, {}}}, {}).value();
  Drawing drawing(space);
  for (ConfigurationId id = 0; id < 9; ++id) drawing.tell(id, {});
  EXPECT_EQ(drawing.draw_alike({4}), std::nullopt);
}

}  // namespace
}  // namespace wattune::search
