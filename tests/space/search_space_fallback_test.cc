// Constraints that tie everything to everything: the two fallbacks, and that all operations still work there.
#include "space/space_support.h"

namespace wattune::space {
namespace {

// No partial results merge: a square root of a sum of products of everything.
std::vector<Parameter> tangled_parameters(int values) {
  return {range_parameter("a", 1, values), range_parameter("b", 1, values), range_parameter("c", 1, values),
          range_parameter("d", 1, values), range_parameter("e", 1, values)};
}
const std::vector<std::string> kTangled = {"(sqrt(a) * 7.1 + b**1.5 + sqrt(c) * d + e * 0.37) % 1 < 0.3", "a <= b"};

constexpr BuildOptions kSmallBudget{.state_budget = 300, .materialise_limit = 100'000};
constexpr BuildOptions kNoRoom{.state_budget = 300, .materialise_limit = 100};

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
  // 12^8 = 430 million combinations, of which the chain of equalities leaves 12: too many states for the predicate
  // alone.
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
  // All different: every constraint is tiny, their intersection remembers the set of values used.
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

}  // namespace
}  // namespace wattune::space
