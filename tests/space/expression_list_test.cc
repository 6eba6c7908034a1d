#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "space/interface/expression.h"

namespace wattune::inline v0_1::space {
namespace {

using ::testing::HasSubstr;

// Returns the values joined by spaces, or the error's message.
std::string list_of(std::string_view text) {
  const Result<std::vector<Value>> values = Expression::parse_list(text);
  if (!values) return values.error().message();
  std::string joined;
  for (const Value& value : *values) joined += (joined.empty() ? "" : " ") + value.to_string();
  return joined;
}

Error list_failure_of(std::string_view text) {
  const Result<std::vector<Value>> values = Expression::parse_list(text, {"spec.json", 5, 1});
  return values ? Error(ErrorCode::internal, "no error") : values.error();
}

TEST(ParseList, ReadsWhatT1FilesWrite) {
  EXPECT_EQ(list_of("[16, 32, 64]"), "16 32 64");
  EXPECT_EQ(list_of("[2**i for i in range(0, 5)]"), "1 2 4 8 16");
  EXPECT_EQ(list_of("[i for i in range(1, 3+1)]"), "1 2 3");
  EXPECT_EQ(list_of("range(1, 9)"), "1 2 3 4 5 6 7 8");
  EXPECT_EQ(list_of("list(range(32, 128+1, 32))"), "32 64 96 128");
  EXPECT_EQ(list_of("[1, 2, 4] + list(range(32, 64+1, 32))"), "1 2 4 32 64");
  EXPECT_EQ(list_of("[i for i in range(1,65) if 64 % i == 0]"), "1 2 4 8 16 32 64");
  EXPECT_EQ(list_of("[0.5, 'a', \"b\", True, -1, 2*3]"), "0.5 a b True -1 6");
}

TEST(ParseList, KeepsTheTypesOfElements) {
  const std::vector<Value> values = Expression::parse_list("[1, 1.0, True, '1']").value();
  ASSERT_EQ(values.size(), 4U);
  EXPECT_EQ(values[0].kind(), Value::Kind::integer);
  EXPECT_EQ(values[1].kind(), Value::Kind::real);
  EXPECT_EQ(values[2].kind(), Value::Kind::boolean);
  EXPECT_EQ(values[3].kind(), Value::Kind::string);
}

TEST(ParseList, EmptyListsAndTrailingCommasAreFine) {
  EXPECT_EQ(list_of("[]"), "");
  EXPECT_EQ(list_of("[1, 2,]"), "1 2");
  EXPECT_EQ(list_of("range(0)"), "");
  EXPECT_EQ(list_of("([1])"), "1");
}

TEST(ParseList, RangeCountsAsPythons) {
  EXPECT_EQ(list_of("range(3)"), "0 1 2");
  EXPECT_EQ(list_of("range(5, 0, -2)"), "5 3 1");
  EXPECT_EQ(list_of("range(0, 5, -1)"), "");
  EXPECT_EQ(list_of("range(-2, 7, 4)"), "-2 2 6");
  // The next step would leave 64 bits.
  EXPECT_EQ(list_of("range(9223372036854775805, 9223372036854775807, 9)"), "9223372036854775805");
}

TEST(ParseList, ComprehensionsNest) {
  EXPECT_EQ(list_of("[10*i + j for i in range(1, 3) for j in [1, 2]]"), "11 12 21 22");
  EXPECT_EQ(list_of("[j for i in range(4) if i % 2 for j in range(i)]"), "0 0 1 2");
  EXPECT_EQ(list_of("[i for i in [j * j for j in range(4)] if i > 0 if i < 9]"), "1 4");
  EXPECT_EQ(list_of("[i for i in range(3) for i in [i, i]]"), "0 0 1 1 2 2");
  EXPECT_EQ(list_of("['a' if i else 'b' for i in [0, 1]]"), "b a");
  EXPECT_EQ(list_of("[x for x in ['a', 'b', 'c'] if x in ('a', 'c')]"), "a c");
}

TEST(ParseList, ReadsConstantsThatItsOwnVariablesHide) {
  const Expression::Constants constants{{"n", 3}, {"width", 8}, {"ProblemSize[0]", 5}};
  const auto values = [&](std::string_view text) { return Expression::parse_list(text, {"s", 1, 1}, constants); };
  EXPECT_EQ(values("[n, width // 2] + range(n)").value(), (std::vector<Value>{3, 4, 0, 1, 2}));
  EXPECT_EQ(values("[n * ProblemSize[0] for n in [1, n]] + [n]").value(), (std::vector<Value>{5, 15, 3}));
  EXPECT_EQ(values("[widht]").error().to_string(), "s:1:2: unknown name `widht`: `[widht]` (did you mean `width`?)");
}

TEST(ParseList, MoreThanAMillionElementsAreRefusedAtOnce) {
  EXPECT_EQ(Expression::parse_list("range(1000000)").value().size(), 1'000'000U);
  for (const char* text : {"range(1000001)", "range(0, 9223372036854775807)", "[1 for i in range(1000000)]",
                           "[0 for i in range(1000) for j in range(1001) if False]"}) {
    const Error error = list_failure_of(text);
    EXPECT_EQ(error.code(), ErrorCode::out_of_range) << text;
    EXPECT_THAT(error.message(), HasSubstr("list of more than 1000000 elements")) << text;
  }
}

TEST(ParseList, ErrorsPointIntoTheText) {
  struct Case {
    const char* text;
    const char* message;
  };
  const std::vector<Case> cases = {
      {"16", "spec.json:5:1: expected a list: `16` (such as `[1, 2, 4]` or `range(1, 9)`)"},
      {"[1, 2", "spec.json:5:6: expected `,` but found the end: `[1, 2`"},
      {"[1] 2", "spec.json:5:5: unexpected `2`: `[1] 2`"},
      {"[1, n]", "spec.json:5:5: unknown name `n`: `[1, n]`"},
      {"[tile for tyle in range(2)]",
       "spec.json:5:2: unknown name `tile`: `[tile for tyle in range(2)]` (did you mean `tyle`?)"},
      {"[1 for 2 in range(3)]", "spec.json:5:8: unexpected `2`: `[1 for 2 in range(3)]`"},
      {"[1 for i of range(3)]", "spec.json:5:10: expected `in` but found `of`: `[1 for i of range(3)]`"},
      {"[8 // i for i in range(3)]", "spec.json:5:4: division by zero in `//`: `[8 // i for i in range(3)]`"},
      {"[(1, 2)]", "spec.json:5:2: a list can only stand to the right of `in` and `not in`: `[(1, 2)]`"},
      {"range(1.5)", "spec.json:5:1: `range` takes integers only: `range(1.5)`"},
      {"range(1, 9, 0)", "spec.json:5:1: the step of `range` is 0: `range(1, 9, 0)`"},
      {"range()", "spec.json:5:1: wrong number of arguments for `range`: `range()` (it takes 1 to 3)"},
      {"[1] + 2", "spec.json:5:7: expected a list: `[1] + 2` (such as `[1, 2, 4]` or `range(1, 9)`)"},
  };
  for (const Case& c : cases) EXPECT_EQ(list_failure_of(c.text).to_string(), c.message);
}

TEST(ParseList, NestingIsLimited) {
  EXPECT_EQ(list_failure_of(std::string(100'000, '(')).message(), "expression nested too deeply");
  std::string clauses = "[1";
  for (int i = 0; i < 1000; ++i) clauses += " for i in [1]";
  EXPECT_EQ(list_failure_of(clauses + "]").message(), "expression nested too deeply");
}

}  // namespace
}  // namespace wattune::space
