#include "space/interface/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "space/expression/expression_tree.h"

namespace wattune::inline v0_1::space {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Bindings = std::map<std::string, Value, std::less<>>;

Result<Value> evaluate(std::string_view text, const Bindings& bindings = {}) {
  WATTUNE_ASSIGN(const Expression expression, Expression::parse(text, {"spec.toml", 3, 10}));
  return expression.evaluate([&](std::string_view name) {
    const auto found = bindings.find(name);
    return found == bindings.end() ? nullptr : &found->second;
  });
}

// Returns the Error of parsing or evaluating.
Error failure_of(std::string_view text, const Bindings& bindings = {}) {
  const Result<Value> result = evaluate(text, bindings);
  if (result) return Error(ErrorCode::internal, "no error but " + result->to_string());
  return result.error();
}

Result<std::size_t> size_of(std::string_view text) {
  return Expression::parse(text).value().evaluate_size([](std::string_view) { return nullptr; });
}

TEST(Expression, EvaluatesConstraintsAsTunersWriteThem) {
  const Bindings gemm = {{"KWG", 32}, {"MDIMC", 8}, {"NDIMC", 16}, {"MDIMA", 8}, {"MWG", 64}};
  EXPECT_EQ(*evaluate("KWG % ((MDIMC * NDIMC)//MDIMA) == 0", gemm), Value(true));
  EXPECT_EQ(*evaluate("KWG % ((MDIMC * NDIMC)/MDIMA) == 0", gemm), Value(true));
  EXPECT_EQ(*evaluate("not (MWG == 128 and MDIMC == 8)", gemm), Value(true));
  EXPECT_EQ(*evaluate("32 <= MDIMC * NDIMC <= 127", gemm), Value(false));
  EXPECT_EQ(*evaluate("MWG in (16, 32) or MDIMC not in [16, 32]", gemm), Value(true));
  EXPECT_EQ(*evaluate("KWG % (MWG//MDIMC) == 0 if MWG//MDIMC > 0 else False", gemm), Value(true));
}

TEST(Expression, KeepsTextPositionAndNames) {
  const Expression expression = Expression::parse("b * a + b + max(c, a)", {"f", 1, 2}).value();
  EXPECT_EQ(expression.text(), "b * a + b + max(c, a)");
  EXPECT_EQ(expression.position(), (SourcePosition{"f", 1, 2}));
  EXPECT_THAT(expression.names(), ElementsAre("b", "a", "c"));
  EXPECT_THAT(Expression::parse("1 + 2").value().names(), IsEmpty());
}

TEST(Expression, SubscriptedNameIsOneName) {
  const Expression expression = Expression::parse("ProblemSize[0] * ProblemSize [ 1 ]").value();
  EXPECT_THAT(expression.names(), ElementsAre("ProblemSize[0]", "ProblemSize[1]"));
  EXPECT_EQ(*evaluate("(ProblemSize[0]+2) * 3", {{"ProblemSize[0]", 4}}), Value(18));
}

// Names of hardware counters have dots.
TEST(Expression, NamesMayHaveDots) {
  EXPECT_EQ(*evaluate("dram__bytes.sum / 2", {{"dram__bytes.sum", 8}}), Value(4.0));
  EXPECT_EQ(failure_of("p.x > 1", {{"p", 1}}).to_string(), "spec.toml:3:10: unknown name `p.x`: `p.x > 1`");
}

TEST(Expression, ExtremeOfOneArgumentIsTheArgument) {
  EXPECT_EQ(*evaluate("max(w) + min(w) + max([1, 5])", {{"w", 3}}), Value(11));
}

TEST(Expression, KnowsFunctionsByTheirModules) {
  EXPECT_EQ(evaluate("math.ceil(7 / 2)")->kind(), Value::Kind::integer);
  for (const char* text : {"np.ceil(7 / 2)", "numpy.ceil(7 / 2)"}) {
    EXPECT_EQ(*evaluate(text), Value(4)) << text;
    EXPECT_EQ(evaluate(text)->kind(), Value::Kind::real) << text;
  }
  EXPECT_EQ(*evaluate("np.minimum(3, 2) + np.maximum(3, 2) + np.abs(-1) + np.floor(1.5) + np.log2(8) + np.sqrt(4)"),
            Value(12));
}

TEST(Expression, UnusedBranchesAreNotEvaluated) {
  EXPECT_EQ(*evaluate("a != 0 and 8 % a == 0", {{"a", 0}}), Value(false));
  EXPECT_EQ(*evaluate("a == 0 or 8 % a == 0", {{"a", 0}}), Value(true));
  EXPECT_EQ(*evaluate("0 if a == 0 else 8 // a", {{"a", 0}}), Value(0));
  EXPECT_EQ(*evaluate("1 < a < 8 // a", {{"a", 0}}), Value(false));
}

TEST(Expression, EvaluationErrorsSayWhatAndWhere) {
  const Error zero = failure_of("1 + 8 % a", {{"a", 0}});
  EXPECT_EQ(zero.code(), ErrorCode::invalid_argument);
  // Column 10 is the text's first character; `%` stands 6 behind it.
  EXPECT_EQ(zero.to_string(), "spec.toml:3:16: division by zero in `%`: `1 + 8 % a`");

  const Error name = failure_of("a + tile", {{"a", 0}});
  EXPECT_EQ(name.code(), ErrorCode::not_found);
  EXPECT_EQ(name.to_string(), "spec.toml:3:14: unknown name `tile`: `a + tile`");

  const Error overflow = failure_of("a * a", {{"a", std::int64_t{1} << 40}});
  EXPECT_EQ(overflow.code(), ErrorCode::out_of_range);
  EXPECT_EQ(overflow.to_string(), "spec.toml:3:12: the result of `*` exceeds 64 bits: `a * a`");

  EXPECT_EQ(failure_of("a + 'x'", {{"a", 1}}).to_string(),
            "spec.toml:3:12: `+` cannot take values of these types: `a + 'x'`");
  EXPECT_EQ(failure_of("sqrt(-1)").to_string(),
            "spec.toml:3:10: `sqrt` has no real value for these numbers: `sqrt(-1)`");
  EXPECT_EQ(failure_of("a in (16)", {{"a", 1}}).to_string(),
            "spec.toml:3:12: `in` needs a list or two strings: `a in (16)` (a list of one is written `(x,)`)");
}

TEST(Expression, PositionCountsLinesOfALongExpression) {
  EXPECT_EQ(failure_of("(1 +\n  8 % 0)").position(), (SourcePosition{"spec.toml", 4, 5}));
  EXPECT_EQ(Expression::parse("1 +", {"f", 7}).error().position(), (SourcePosition{"f", 7}));
}

TEST(Expression, ParseErrorsPointAtTheToken) {
  struct Case {
    const char* text;
    int column;  // from 10 on
    const char* message;
  };
  const std::vector<Case> cases = {
      {"", 10, "empty expression"},
      {"   ", 10, "empty expression"},
      {"a +", 13, "it ends too early"},
      {"a b", 12, "unexpected `b`"},
      {"(a + b", 16, "it ends too early"},
      {"a + b)", 15, "unexpected `)`"},
      {"a * / b", 14, "unexpected `/`"},
      {"a if b", 16, "expected `else` but found the end"},
      {"a and", 15, "it ends too early"},
      {"a not b", 12, "unexpected `not`"},
      {"max(a b)", 16, "expected `,` but found `b`"},
      {"a == 010", 15, "malformed number `010`"},
      {"12ab", 10, "malformed number `12ab`"},
      {"1__0", 10, "malformed number `1__0`"},
      {"1e", 10, "malformed number `1e`"},
      {"0x", 10, "malformed number `0x`"},
      {"1.2.3", 10, "malformed number `1.2.3`"},
      {"a == 'x", 15, "string without closing quote"},
      {"'\\q'", 10, "unknown escape in a string"},
      {"a $ b", 12, "unexpected `$`"},
      {"a : b", 12, "unexpected `:`"},
      {"\xc3\xa9 > 1", 10, "unexpected character 0xc3"},
      {"p[x]", 10, "the subscript of `p` is not a plain number"},
      {"foo(1)", 10, "unknown function `foo`"},
      {"sqrt(1, 2)", 10, "wrong number of arguments for `sqrt`"},
      {"round()", 10, "wrong number of arguments for `round`"},
      {"min()", 10, "wrong number of arguments for `min`"},
      {"(1, 2)", 10, "a list can only stand"},
      {"1 + (1, 2)", 14, "a list can only stand"},
      {"1 in (1, 2) in (1, 2)", 15, "a list can only stand"},
      {"1 in (1, (2, 3))", 19, "a list can only stand"},
      {"abs([1])", 14, "a list can only stand"},
  };
  for (const Case& c : cases) {
    const Error error = failure_of(c.text);
    EXPECT_EQ(error.code(), ErrorCode::parse_error) << c.text;
    EXPECT_THAT(error.message(), HasSubstr(c.message)) << c.text;
    EXPECT_EQ(error.position().column, c.column) << c.text;
  }
}

TEST(Expression, ParseErrorsAdviseWhoThinksOfAnotherLanguage) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"a && b", "write `and`"},
      {"a || b", "write `or`"},
      {"!a", "write `not`"},
      {"a <> b", "write `!=`"},
      {"a = 3", "to compare write `==`"},
      {"a << 2", "multiply by a power of 2: `x * 2**n`"},
      {"a & 1", "there are no bitwise operators; for logic write `and`"},
      {"a ? 1 : 2", "write `x if condition else y`"},
      {"a is True", "to compare write `==`"},
      {"lambda p: p", "write the condition alone"},
      {"sqr(4)", "did you mean `sqrt`?"},
      {"sqrt()", "it takes 1"},
      {"round(1, 2, 3)", "it takes 1 or 2"},
  };
  for (const auto& [text, advice] : cases) EXPECT_EQ(failure_of(text).advice(), advice) << text;
}

TEST(Expression, NumbersTooLargeAreOutOfRange) {
  EXPECT_EQ(failure_of("9223372036854775808").code(), ErrorCode::out_of_range);
  EXPECT_EQ(failure_of("0x1_0000_0000_0000_0000").code(), ErrorCode::out_of_range);
  EXPECT_EQ(failure_of("1e400").code(), ErrorCode::out_of_range);
}

TEST(Expression, NestingIsLimitedInEveryWay) {
  const auto repeated = [](std::string_view text) {
    std::string result;
    for (int i = 0; i < 100'000; ++i) result += text;
    return result;
  };
  for (const std::string& text :
       {repeated("("), repeated("["), repeated("-") + "1", repeated("not ") + "1", repeated("2**") + "1",
        repeated("1 if 1 else ") + "1", repeated("max(1,"), repeated("1+") + "1", repeated("1*") + "1"}) {
    const Error error = failure_of(text);
    EXPECT_EQ(error.message(), "expression nested too deeply") << text.substr(0, 20);
  }
}

TEST(Expression, LongFlatExpressionsAreFine) {
  std::string sum = "1";
  for (int i = 0; i < 900; ++i) sum += " + 1";
  EXPECT_EQ(*evaluate(sum), Value(901));
  std::string conjunction = "1 < 2";
  for (int i = 0; i < 20'000; ++i) conjunction += " and 1 < 2";
  EXPECT_EQ(*evaluate(conjunction), Value(true));
}

TEST(Expression, TreeIsOpenToThoseWhoCompileIt) {
  const Expression expression = Expression::parse("a < 2 * b != 3").value();
  const Expression::Node& root = expression.root();
  ASSERT_EQ(root.kind, NodeKind::comparison);
  EXPECT_THAT(root.comparisons, ElementsAre(Comparison::less, Comparison::not_equal));
  ASSERT_EQ(root.children.size(), 3U);
  EXPECT_EQ(root.children[1].binary, BinaryOperator::multiply);
  EXPECT_EQ(root.children[1].offset, 6U);
  EXPECT_EQ(root.height, 3);
  EXPECT_EQ(fault_error(Fault::overflow, expression, root.children[1]).message(), "the result of `*` exceeds 64 bits");
}

TEST(Expression, TruthIsPythons) {
  const auto truth = [](std::string_view text) {
    return *Expression::parse(text).value().evaluate_bool([](std::string_view) { return nullptr; });
  };
  EXPECT_TRUE(truth("2.5"));
  EXPECT_TRUE(truth("'a'"));
  EXPECT_FALSE(truth("''"));
  EXPECT_FALSE(truth("0.0"));
  EXPECT_FALSE(truth("3 % 3"));
}

TEST(Expression, SizesAreWholeNumbersFromZeroOn) {
  EXPECT_EQ(*size_of("4096 // 32"), 128U);
  EXPECT_EQ(*size_of("4096 / 32"), 128U);
  EXPECT_EQ(*size_of("0"), 0U);
  EXPECT_EQ(*size_of("True"), 1U);
  for (const char* text : {"-1", "0.5", "-1.0", "1e300", "1e308 * 10", "'a'"}) {
    const Result<std::size_t> result = size_of(text);
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().code(), ErrorCode::invalid_argument) << text;
    EXPECT_THAT(result.error().message(), HasSubstr("not a whole number")) << text;
  }
}

}  // namespace
}  // namespace wattune::space
