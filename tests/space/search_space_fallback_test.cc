// Constraints that tie everything to everything: the two fallbacks, and that all operations still work there.
#include <fmt/format.h>

#include <map>

#include "space/space_support.h"

namespace wattune::inline v0_1::space {
namespace {

// Returns parameters whose constraint lets no partial results merge: a square root of a sum of products of everything.
std::vector<Parameter> tangled_parameters(int values) {
  return {range_parameter("a", 1, values), range_parameter("b", 1, values), range_parameter("c", 1, values),
          range_parameter("d", 1, values), range_parameter("e", 1, values)};
}
const std::vector<std::string> kTangled = {"(sqrt(a) * 7.1 + b**1.5 + sqrt(c) * d + e * 0.37) % 1 < 0.3", "a <= b"};

const BuildOptions kSmallBudget{.state_budget = 300, .materialise_limit = 100'000};
const BuildOptions kNoRoom{.state_budget = 300, .materialise_limit = 100};

TEST(SearchSpaceFallback, TestsEveryConfigurationWhereTheyAreFew) {
  const SearchSpace space = space_of(tangled_parameters(6), kTangled, kSmallBudget);
  EXPECT_TRUE(space.exact());
  EXPECT_NE(space.report().fallback.find("sqrt(a)"), std::string::npos) << space.report().fallback;
  EXPECT_NE(space.report().fallback.find("was tested instead"), std::string::npos) << space.report().fallback;
  expect_equals_brute_force(tangled_parameters(6), kTangled, kSmallBudget);
  ValueIndices indices;
  for (ConfigurationId id = 0; id < space.count(); ++id) {
    space.unrank(id, indices);
    ASSERT_EQ(space.rank(indices), id);
  }
}

TEST(SearchSpaceFallback, FaultsAreFoundWhileTesting) {
  std::vector<std::string> expressions = kTangled;
  expressions.push_back("60 % (a - 3) >= 0");
  const auto reached = SearchSpace::build(tangled_parameters(6), constraints(expressions), {}, kSmallBudget);
  ASSERT_FALSE(reached);
  EXPECT_NE(reached.error().message().find("division by zero in `%` at a=3"), std::string::npos)
      << reached.error().message();
  expressions.push_back("a != 3");
  expect_equals_brute_force(tangled_parameters(6), expressions, kSmallBudget);
}

TEST(SearchSpaceFallback, AnEmptySpaceIsStillRecognised) {
  std::vector<std::string> expressions = kTangled;
  expressions[0] = "sqrt(a) * 7.1 + b**1.5 + sqrt(c) * d + e * 0.37 < 0.5";
  const auto space = SearchSpace::build(tangled_parameters(6), constraints(expressions), {}, kSmallBudget);
  ASSERT_FALSE(space);
  EXPECT_EQ(space.error().message().find("no configuration meets the constraint `sqrt(a)"), 0U)
      << space.error().message();
}

TEST(SearchSpaceFallback, DrawsAndTestsWhereTheyAreMany) {
  const std::vector<Parameter> parameters = tangled_parameters(6);
  const SearchSpace space = space_of(parameters, kTangled, kNoRoom);
  EXPECT_FALSE(space.exact());
  EXPECT_NE(space.report().fallback.find("upper bounds"), std::string::npos) << space.report().fallback;

  const std::set<ValueIndices> valid = brute_force(parameters, kTangled);
  EXPECT_EQ(space.count(), 21U * 216U);                     // a <= b: 21 of 36
  const std::vector<ValueIndices> found = contents(space);  // by next()
  EXPECT_EQ(std::set<ValueIndices>(found.begin(), found.end()), valid);
  EXPECT_EQ(found.size(), valid.size());

  for_each_combination(parameters, [&](const ValueIndices& indices) {
    ASSERT_EQ(space.contains(indices), valid.contains(indices));
    ASSERT_EQ(space.find(indices).has_value(), valid.contains(indices));
  });
  Random random(8);
  ValueIndices indices;
  for (int i = 0; i < 200; ++i) {
    space.unrank(space.sample(random), indices);
    ASSERT_TRUE(valid.contains(indices));
  }
  for (ConfigurationId id : space.sample_stratified(20, random)) ASSERT_TRUE(space.valid(id));
  for (ConfigurationId id : space.neighbours(space.sample(random), Neighbourhood::hamming))
    ASSERT_TRUE(space.valid(id));
  EXPECT_TRUE(space.valid(space.default_configuration()));
  EXPECT_FALSE(space.valid(space.count()));
}

TEST(SearchSpaceFallback, ABudgetOfNothingStillGivesEveryConfiguration) {
  const std::vector<std::string> expressions = {"a * b + c <= 20", "d % e == 0"};
  expect_equals_brute_force(tangled_parameters(6), expressions, {.state_budget = 0, .materialise_limit = 100'000});
  const SearchSpace lazy = space_of(tangled_parameters(6), expressions, {.state_budget = 0, .materialise_limit = 0});
  EXPECT_FALSE(lazy.exact());
  EXPECT_EQ(contents(lazy).size(), brute_force(tangled_parameters(6), expressions).size());
}

TEST(SearchSpaceFallback, NoValidConfigurationAmongTheDrawnIsAnError) {
  const auto space = SearchSpace::build(
      tangled_parameters(40),
      constraints({"sqrt(a) + sqrt(b) + sqrt(c) + sqrt(d) + sqrt(e) < 5.000001", "a > 1 or b > 1 or c > 1"}), {},
      kNoRoom);
  ASSERT_FALSE(space);
  EXPECT_EQ(space.error().code(), ErrorCode::invalid_argument);
}

TEST(SearchSpaceFallback, AnOpaquePredicateOverAllParametersIsTestedWhereOthersLeaveFew) {
  // The chain of equalities leaves 12 of 12^8 = 430 million combinations. The predicate alone would need too many
  // states.
  std::vector<Parameter> parameters;
  std::vector<std::string> equalities;
  Predicate predicate{
      {},
      [](std::span<const Value> v) { return v[0].as_integer() % 2 == v[7].as_integer() % 2 && v[3].as_integer() > 2; },
      "all"};
  for (int p = 0; p < 8; ++p) {
    parameters.push_back(range_parameter("p" + std::to_string(p), 1, 12));
    predicate.names.push_back("p" + std::to_string(p));
    if (p > 0) equalities.push_back("p" + std::to_string(p) + " == p" + std::to_string(p - 1));
  }
  const SearchSpace space =
      SearchSpace::build(parameters, constraints(equalities), {predicate}, {.state_budget = 20'000}).value();
  EXPECT_TRUE(space.exact());
  EXPECT_EQ(space.count(), 10U);
}

TEST(SearchSpaceFallback, ManySmallConstraintsThatTangle) {
  // All values differ. Every constraint is tiny; their intersection remembers the set of values used.
  std::vector<Parameter> parameters;
  std::vector<std::string> different;
  for (int p = 0; p < 6; ++p) {
    parameters.push_back(range_parameter("p" + std::to_string(p), 1, 6));
    for (int q = 0; q < p; ++q) different.push_back("p" + std::to_string(q) + " != p" + std::to_string(p));
  }
  EXPECT_EQ(space_of(parameters, different).count(), 720U);  // 6!
  const SearchSpace tangled = space_of(parameters, different, {.state_budget = 50, .materialise_limit = 100'000});
  EXPECT_NE(tangled.report().fallback, "");
  EXPECT_EQ(tangled.count(), 720U);
}

// A space of 8 parameters of 4 values and 20 constraints, none of which the diagram holds. 144 of 65,536 combinations
// are valid, so that 2,000 draws find fewer than 20 of them.
class FewAreValid : public ::testing::Test {
 protected:
  FewAreValid() {
    for (int p = 0; p < 8; ++p) parameters_.push_back(range_parameter(fmt::format("p{}", p), 0, 3));
    for (int c = 0; c < 20; ++c)
      expressions_.push_back(fmt::format("(sqrt(p{} + {}) + 2 * p{} + 3 * p{}) % 5 < 2.2", c % 8, c / 8,
                                         (c * 3 + 1) % 8, (c * 5 + 2) % 8));
    valid_ = brute_force(parameters_, expressions_);
  }
  SearchSpace space() const { return space_of(parameters_, expressions_, {.state_budget = 0, .materialise_limit = 0}); }

  std::vector<Parameter> parameters_;
  std::vector<std::string> expressions_;
  std::set<ValueIndices> valid_;
};

TEST_F(FewAreValid, SamplesReachAllOfThem) {
  const SearchSpace space = this->space();
  ASSERT_FALSE(space.exact());
  ASSERT_EQ(valid_.size(), 144u);

  std::map<ValueIndices, int> times;
  Random random(5);
  constexpr int kEach = 50;
  const int draws = kEach * static_cast<int>(valid_.size());
  ValueIndices indices;
  for (int i = 0; i < draws; ++i) {
    space.unrank(space.sample(random), indices);
    ASSERT_TRUE(valid_.contains(indices));
    ++times[indices];
  }
  EXPECT_EQ(times.size(), valid_.size());
  // Exactly uniform draws would show each as often; which are found easily must not count for much.
  for (const auto& [each, count] : times) EXPECT_LT(count, 3 * kEach);
}

TEST_F(FewAreValid, AllOperationsGiveValidOnesAsBruteForceDoes) {
  const SearchSpace space = this->space();
  const std::vector<ValueIndices> found = contents(space);  // by next()
  EXPECT_EQ(std::set<ValueIndices>(found.begin(), found.end()), valid_);
  EXPECT_EQ(found.size(), valid_.size());
  Random random(6);
  for (const ValueIndices& indices : found) {
    std::set<ConfigurationId> near;
    for (const ValueIndices& other : valid_) {
      const auto differs = [&](std::size_t p) { return indices[p] != other[p]; };
      std::size_t changes = 0;
      for (std::size_t p = 0; p < 8; ++p) changes += differs(p) ? 1 : 0;
      if (changes == 1) near.insert(space.rank(other));
    }
    const std::vector<ConfigurationId> neighbours = space.neighbours(space.rank(indices), Neighbourhood::hamming);
    EXPECT_EQ(std::set<ConfigurationId>(neighbours.begin(), neighbours.end()), near);
    const auto one = space.random_neighbour(space.rank(indices), random);
    EXPECT_EQ(one.has_value(), !near.empty());
    EXPECT_TRUE(!one || near.contains(*one));
    std::vector<double> point(indices.begin(), indices.end());
    EXPECT_EQ(space.project(point), space.rank(indices));
  }
  for (const ConfigurationId id : space.sample_stratified(50, random)) EXPECT_TRUE(space.valid(id));
  const std::vector<double> corner(8, 3.0);
  EXPECT_TRUE(space.valid(space.project(corner)));
  EXPECT_TRUE(space.valid(space.default_configuration()));
}

TEST(SearchSpaceFallback, WhatNoDrawMeetsIsFoundByASearch) {
  // One of 4^14 = 268 million combinations.
  std::vector<Parameter> parameters;
  std::vector<std::string> expressions;
  for (int p = 0; p < 14; ++p) {
    parameters.push_back(range_parameter(fmt::format("p{}", p), 0, 3));
    if (p > 0) expressions.push_back(fmt::format("sqrt(p{0}) + p{1} == sqrt(p{1}) + p{0}", p - 1, p));
  }
  expressions.emplace_back("sqrt(p0) + p13 == 2 + sqrt(2)");
  const SearchSpace space = space_of(parameters, expressions, {.state_budget = 0, .materialise_limit = 0});
  ASSERT_FALSE(space.exact());
  EXPECT_TRUE(space.valid(space.default_configuration()));
  Random random(1);
  EXPECT_TRUE(space.valid(space.sample(random)));
}

TEST(SearchSpaceFallback, AnEmptyRelaxedSpaceIsSaidToBeEmpty) {
  std::vector<std::string> expressions = kTangled;
  expressions.emplace_back("sqrt(a) + sqrt(b) > 100");
  const auto space = SearchSpace::build(tangled_parameters(6), constraints(expressions), {},
                                        {.state_budget = 0, .materialise_limit = 0});
  ASSERT_FALSE(space);
  EXPECT_EQ(space.error().message().find("no configuration meets"), 0U) << space.error().message();
}

TEST(SearchSpaceFallback, ABuildEndsWhenItIsCancelled) {
  int asked = 0;
  const BuildOptions options{.cancelled = [&] { return ++asked >= 2; }};
  const auto space = SearchSpace::build(tangled_parameters(20), constraints(kTangled), {}, options);
  ASSERT_FALSE(space);
  EXPECT_EQ(space.error().code(), ErrorCode::cancelled);
  EXPECT_LE(asked, 4);
}

}  // namespace
}  // namespace wattune::space
