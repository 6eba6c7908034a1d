#include "wattune/core/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>

namespace wattune {
namespace {

Result<int> half_of(int number) {
  if (number % 2 != 0) return Error(ErrorCode::invalid_argument, "odd");
  return number / 2;
}

Result<int> quarter_of(int number) {
  WATTUNE_ASSIGN(const int half, half_of(number));
  return half_of(half);
}

Result<void> must_be_even(int number) {
  WATTUNE_TRY(half_of(number));
  return {};
}

TEST(Result, HoldsTheValueOrTheError) {
  EXPECT_EQ(*half_of(6), 3);
  EXPECT_EQ(half_of(7).error().code(), ErrorCode::invalid_argument);
}

// A loop over it keeps it alive.
TEST(Result, TheValueOfATemporaryIsNoReference) {
  EXPECT_TRUE((std::is_same_v<decltype(half_of(6).value()), int>));
  Result<int> kept = 3;
  EXPECT_TRUE((std::is_same_v<decltype(kept.value()), int&>));
}

TEST(Result, ValueThrowsTheErrorWhenThereIsNone) {
  EXPECT_EQ(half_of(6).value(), 3);
  try {
    half_of(7).value();
    FAIL() << "no exception";
  } catch (const Exception& exception) {
    EXPECT_STREQ(exception.what(), "odd");
    EXPECT_EQ(exception.error().code(), ErrorCode::invalid_argument);
  }
  EXPECT_THROW(must_be_even(3).value(), Exception);
}

// A value that counts its objects: those made and not yet destroyed.
struct Counted {
  Counted() { ++living; }
  Counted(const Counted&) { ++living; }
  Counted(Counted&&) noexcept { ++living; }
  ~Counted() { --living; }
  static inline int living = 0;
};

Result<Counted> failed_count() { return Error(ErrorCode::busy, "later"); }

TEST(Result, DestroysWhatItHeldWhenItIsAssigned) {
  {
    Result<Counted> result = Counted();
    EXPECT_EQ(Counted::living, 1);
    result = failed_count();
    EXPECT_EQ(Counted::living, 0);
    EXPECT_EQ(result.error().message(), "later");
    result = Counted();
    EXPECT_EQ(Counted::living, 1);
    const Result<Counted> copy = result;
    EXPECT_EQ(Counted::living, 2);
    result = copy;
    EXPECT_TRUE(result);
    EXPECT_EQ(Counted::living, 2);
  }
  EXPECT_EQ(Counted::living, 0);
}

TEST(Result, IsCopiedAndMovedAsItsValueIs) {
  using Owner = Result<std::unique_ptr<int>>;
  static_assert(!std::is_copy_constructible_v<Owner> && std::is_nothrow_move_constructible_v<Owner>);
  static_assert(std::is_copy_constructible_v<Result<std::string>>);
  Owner owner = std::make_unique<int>(7);
  Owner other = std::move(owner);
  EXPECT_EQ(**other, 7);
  other = Error(ErrorCode::busy, "later");
  EXPECT_EQ(Owner(std::move(other)).error().code(), ErrorCode::busy);
}

TEST(Result, MacrosPassTheErrorOn) {
  EXPECT_EQ(*quarter_of(8), 2);
  EXPECT_FALSE(quarter_of(6));
  EXPECT_TRUE(must_be_even(2));
  EXPECT_EQ(must_be_even(1).error().message(), "odd");
}

TEST(Error, PrintsPositionContextMessageTextNativeCodeAndAdviceInThatOrder) {
  const Error error = Error(ErrorCode::not_found, "unknown parameter")
                          .at({"spec.toml", 3, 14})
                          .about("tile_sise")
                          .native(-45, "CL_INVALID")
                          .hint("did you mean `tile_size`?")
                          .with_context("in a constraint")
                          .with_context("reading the spec");
  EXPECT_EQ(error.to_string(),
            "spec.toml:3:14: reading the spec: in a constraint: unknown parameter: `tile_sise` [CL_INVALID -45] "
            "(did you mean `tile_size`?)");
}

TEST(Error, KeepsTheInnermostPosition) {
  const Error error = Error(ErrorCode::parse_error, "bad").at({"a", 1, 2}).at({"b", 3, 4});
  EXPECT_EQ(error.to_string(), "a:1:2: bad");
}

TEST(Error, PrintsOneLineWithoutControlCharactersAndOfTheUsersTextNoMoreThanALine) {
  const Error error = Error(ErrorCode::parse_error, "in \x1b[2Jred").at({"a\nb", 1}).about(std::string(1000, 'x'));
  EXPECT_EQ(error.to_string(), "a b:1: in  [2Jred: `" + std::string(80, 'x') + "…`");
}

TEST(SourcePosition, LeavesOutWhatIsUnknown) {
  EXPECT_EQ(to_string(SourcePosition{}), "");
  EXPECT_EQ(to_string(SourcePosition{"f"}), "f");
  EXPECT_EQ(to_string(SourcePosition{"f", 7}), "f:7");
}

}  // namespace
}  // namespace wattune
