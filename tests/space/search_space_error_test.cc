// The errors of SearchSpace::build, with text and place, and the faults that it accepts.
#include <stdexcept>

#include "space/space_support.h"

namespace wattune::inline v0_1::space {
namespace {

TEST(SearchSpaceErrors, DuplicateValuesAsPythonSeesThem) {
  const Error same = error_of({{"a", {1, 2, 1}, std::nullopt, {"spec.toml", 3, 5}}}, {});
  EXPECT_EQ(same.code(), ErrorCode::invalid_argument);
  EXPECT_EQ(same.to_string(), "spec.toml:3:5: parameter `a` has the value 1 twice");
  EXPECT_EQ(error_of({parameter("a", {1, 1.0})}, {}).message(),
            "parameter `a` has the values 1 and 1.0, which are equal");
  EXPECT_EQ(error_of({parameter("a", {0.0, 1.0, true})}, {}).message(),
            "parameter `a` has the values 1.0 and True, which are equal");
  EXPECT_EQ(error_of({parameter("a", {"x", "y", "x"})}, {}).message(), "parameter `a` has the value x twice");
  EXPECT_EQ(space_of({parameter("a", {1, "1", 1.5})}, {}).count(), 3U);
}

TEST(SearchSpaceErrors, ParametersWithoutValuesOrWithTooMany) {
  EXPECT_EQ(error_of({parameter("a", {})}, {}).message(), "parameter `a` has no values");
  EXPECT_EQ(error_of({range_parameter("a", 1, 65536)}, {}).message(),
            "parameter `a` has 65536 values; the most are 65535");
  EXPECT_EQ(space_of({range_parameter("a", 1, 65535)}, {"a % 2 == 0"}).count(), 32767U);
}

TEST(SearchSpaceErrors, NamesDeclaredTwiceAndForeignDefaults) {
  EXPECT_EQ(error_of({range_parameter("a", 1, 2), range_parameter("a", 1, 2)}, {}).message(),
            "parameter `a` is declared twice");
  EXPECT_EQ(error_of({{"a", {1, 2}, Value(3), {}}}, {}).message(),
            "parameter `a` has the default 3, which is not one of its values");
}

TEST(SearchSpaceErrors, UnknownNamesWithPositionAndTheNearestName) {
  const Error error = build_error({range_parameter("block_x", 1, 2), range_parameter("block_y", 1, 2)},
                                  {{"block_x * blok_y < 3", {"spec.toml", 9, 4}}});
  EXPECT_EQ(error.code(), ErrorCode::not_found);
  EXPECT_EQ(
      error.to_string(),
      "spec.toml:9:14: unknown parameter `blok_y` in a constraint: `block_x * blok_y < 3` (did you mean `block_y`?)");
}

TEST(SearchSpaceErrors, SyntaxErrorsPointIntoTheConstraint) {
  const Error error = build_error({range_parameter("a", 1, 2)}, {{"a <", {"spec.toml", 9, 4}}});
  EXPECT_EQ(error.code(), ErrorCode::parse_error);
  EXPECT_EQ(error.position().line, 9);
}

TEST(SearchSpaceErrors, DivisionByZeroThatAConfigurationReaches) {
  const Error error = build_error({range_parameter("a", 0, 3), range_parameter("b", 0, 3), range_parameter("c", 0, 3)},
                                  {{"b >= 2", {}}, {"12 % (a * b) == 0", {"spec.toml", 4, 10}}});
  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_EQ(error.message(), "division by zero in `%` at a=0, b=2");
  EXPECT_EQ(error.position(), (SourcePosition{"spec.toml", 4, 13}));
  EXPECT_EQ(error.offending_text(), "12 % (a * b) == 0");
}

TEST(SearchSpaceErrors, AFaultThatOtherConstraintsExcludeIsNone) {
  expect_equals_brute_force({range_parameter("a", 0, 6), range_parameter("b", 0, 6)}, {"12 % a == b", "a != 0"});
  // In one expression, on either side of an `and`.
  EXPECT_EQ(space_of({range_parameter("a", 0, 6)}, {"a != 0 and 12 % a == 0"}).count(), 5U);
  EXPECT_EQ(space_of({range_parameter("a", 0, 6)}, {"12 % a == 0 and a != 0"}).count(), 5U);
  // Excludes the faults by a constraint over several parameters.
  expect_equals_brute_force({range_parameter("a", 0, 3), range_parameter("b", 0, 3), range_parameter("c", 0, 3)},
                            {"12 % (a * b) == 0", "a * b >= 1 + c % 2"});
}

TEST(SearchSpaceErrors, ShortCircuitsGuardAsInPython) {
  expect_equals_brute_force({range_parameter("a", 0, 6), range_parameter("b", 0, 6)},
                            {"a == 0 or b % a == 0", "(b // a == 2) if a else b < 3"});
}

TEST(SearchSpaceErrors, OverflowIsAnErrorWhereItIsReached) {
  const std::vector<Parameter> wide = {parameter("a", {1, 4000000000}), parameter("b", {1, 4000000000})};
  const Error error = error_of(wide, {"a * b > 0"});
  EXPECT_EQ(error.code(), ErrorCode::out_of_range);
  EXPECT_NE(error.message().find("at a=4000000000, b=4000000000"), std::string::npos) << error.message();
  EXPECT_EQ(space_of(wide, {"a * b > 0", "a == 1 or b == 1"}).count(), 3U);
}

TEST(SearchSpaceErrors, WrongTypesAreFaults) {
  const std::vector<Parameter> mixed = {parameter("mode", {"fast", "slow"}), range_parameter("a", 1, 3)};
  EXPECT_NE(error_of(mixed, {"mode * a > 2.5 or mode < a"}).message().find("at mode=fast, a=1"), std::string::npos);
}

TEST(SearchSpaceErrors, AConstantThatFaultsIsReached) {
  EXPECT_NE(error_of({range_parameter("a", 1, 3)}, {"a > 1", "1 // 0 == 1"}).message().find("division by zero"),
            std::string::npos);
}

TEST(SearchSpaceErrors, EmptySpacesNameTheConstraintThatExcludesEverything) {
  const Error error = build_error({range_parameter("a", 1, 4), range_parameter("b", 1, 4)},
                                  {{"a <= b", {}}, {"a > 9", {"spec.toml", 5, 2}}});
  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_EQ(error.to_string(), "spec.toml:5:2: no configuration meets the constraint `a > 9`");
}

TEST(SearchSpaceErrors, EmptySpacesNameASmallestConflict) {
  const Error error = error_of({range_parameter("a", 1, 4), range_parameter("b", 1, 4), range_parameter("c", 1, 4)},
                               {"a < b", "a != c", "b < c", "b % 2 == 0", "c < a", "a + b + c < 100"});
  EXPECT_EQ(error.message(), "no configuration meets these constraints together: `a < b`, `b < c`, `c < a`");
}

TEST(SearchSpaceErrors, EmptyBecauseOfAConstant) {
  EXPECT_EQ(error_of({range_parameter("a", 1, 4), parameter("n", {7})}, {"n == 8"}).message(),
            "no configuration meets the constraint `n == 8`");
}

// --- predicates ---------------------------------------------------------------------------------------------------

Predicate product_at_most(std::int64_t limit) {
  return {
      {"a", "c"}, [limit](std::span<const Value> v) { return v[0].as_integer() * v[1].as_integer() <= limit; }, "a*c"};
}

TEST(SearchSpacePredicates, FilterAsExpressionsDo) {
  const std::vector<Parameter> parameters = {range_parameter("a", 1, 9), range_parameter("b", 1, 9),
                                             range_parameter("c", 1, 9)};
  const SearchSpace space = SearchSpace::build(parameters, constraints({"a <= b"}), {product_at_most(20)}).value();
  const std::vector<ValueIndices> found = contents(space);
  EXPECT_EQ(std::set<ValueIndices>(found.begin(), found.end()), brute_force(parameters, {"a <= b", "a * c <= 20"}));
  EXPECT_EQ(space.violations({8, 8, 8}).front().constraint, "a*c");
}

TEST(SearchSpacePredicates, ReadParametersWithOneValueAndNone) {
  const std::vector<Parameter> parameters = {parameter("a", {3}), parameter("b", {1, 2}), parameter("c", {2})};
  EXPECT_EQ(SearchSpace::build(parameters, {}, {product_at_most(6)}).value().count(), 2U);
  EXPECT_EQ(SearchSpace::build(parameters, {}, {product_at_most(5)}).error().message(),
            "no configuration meets the constraint `a*c`");
  const Predicate always{{}, [](std::span<const Value>) { return true; }, "always"};
  EXPECT_EQ(SearchSpace::build(parameters, {}, {always}).value().count(), 2U);
}

TEST(SearchSpacePredicates, UnknownNamesAndExceptionsAreErrors) {
  const std::vector<Parameter> parameters = {range_parameter("a", 1, 3), range_parameter("b", 1, 3)};
  const Error unknown = SearchSpace::build(parameters, {}, {product_at_most(6)}).error();
  EXPECT_EQ(unknown.code(), ErrorCode::not_found);
  EXPECT_EQ(unknown.offending_text(), "a*c");
  const Predicate throws{{"a"}, [](std::span<const Value>) -> bool { throw std::runtime_error("no"); }, "throws"};
  EXPECT_EQ(SearchSpace::build(parameters, {}, {throws}).error().message(), "a constraint threw an exception at a=1");
}

}  // namespace
}  // namespace wattune::space
