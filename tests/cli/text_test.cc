#include "cli/program/text.h"

#include <gtest/gtest.h>

namespace wattune::cli {
namespace {

TEST(Text, ReadsTimesWithTheirUnit) {
  EXPECT_EQ(parse_time("60s")->value(), 60e9);
  EXPECT_EQ(parse_time("5m")->value(), 300e9);
  EXPECT_EQ(parse_time("1h")->value(), 3600e9);
  EXPECT_EQ(parse_time("1.5ms")->value(), 1.5e6);
  EXPECT_EQ(parse_time("250us")->value(), 250e3);
  EXPECT_EQ(parse_time("0ns")->value(), 0.0);
}

TEST(Text, RefusesTimesThatAreNone) {
  for (const char* text : {"", "5", "s", "-1s", "5 s", "5sec", "nans", "infs", "1e999s"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

TEST(Text, SaysWhichUnitMayBeMeant) {
  const auto advice = [](const char* text) { return parse_time(text).error().advice(); };
  EXPECT_EQ(advice("5"), "did you mean `5s`?");
  EXPECT_EQ(advice("1min"), "did you mean `1m`?");
  EXPECT_EQ(advice("2 hours"), "");
  EXPECT_EQ(advice("2hours"), "did you mean `2h`?");
  EXPECT_EQ(advice("1.5MS"), "did you mean `1.5ms`?");
  EXPECT_EQ(advice("1day"), "");
  EXPECT_EQ(parse_bytes("8").error().advice(), "did you mean `8GB`?");
  EXPECT_EQ(parse_bytes("8gib").error().advice(), "did you mean `8GiB`?");
  EXPECT_EQ(parse_bytes("8G").error().advice(), "did you mean `8GB`?");
  EXPECT_EQ(parse_bytes("8x").error().advice(), "");
}

TEST(Text, ReadsArchitecturesAndSuggestsThem) {
  for (const char* text : {"sm_90", "sm_90a", "sm_100f", "compute_90"})
    EXPECT_EQ(parse_architecture(text).value(), text);
  for (const char* text : {"90a", "9.0a", "sm90a", "SM_90A", "sm-90a", "compute90a", "compute_9.0a"})
    EXPECT_EQ(parse_architecture(text).error().advice(), "did you mean `sm_90a`?") << text;
  for (const char* text : {"", "sm_", "hopper", "H100", "gfx90a", "sm_90b", "native"})
    EXPECT_EQ(parse_architecture(text).error().advice(), "") << text;
}

TEST(Text, ReadsSharesAsNumbersOrPercent) {
  EXPECT_EQ(*parse_share("0.25"), 0.25);
  EXPECT_EQ(*parse_share("25%"), 0.25);
  EXPECT_EQ(*parse_share("1"), 1.0);
  for (const char* text : {"", "0", "0%", "-5%", "1.5", "150%", "5 %", "half", "nan"})
    EXPECT_FALSE(parse_share(text)) << text;
  EXPECT_EQ(parse_share("5").error().advice(), "did you mean `5%`?");
}

TEST(Text, RefusesCountsAndTimesOfZero) {
  EXPECT_EQ(*parse_positive_count("3"), 3u);
  EXPECT_EQ(parse_positive_time("2s")->value(), 2e9);
  for (const char* text : {"0", "-3", "x"}) EXPECT_FALSE(parse_positive_count(text)) << text;
  for (const char* text : {"0s", "0", "-1s"}) EXPECT_FALSE(parse_positive_time(text)) << text;
}

TEST(Text, ReadsSizesWithTheirUnit) {
  EXPECT_EQ(*parse_bytes("8GB"), 8'000'000'000u);
  EXPECT_EQ(*parse_bytes("1.5kB"), 1500u);
  EXPECT_EQ(*parse_bytes("1GiB"), std::uint64_t{1} << 30);
  EXPECT_EQ(*parse_bytes("0.5KiB"), 512u);
  for (const char* text : {"8", "8gib", "-1GB", "99999999999TB"}) EXPECT_FALSE(parse_bytes(text)) << text;
}

TEST(Text, CountsWhatOccurred) {
  EXPECT_EQ(format_counts({{Status::correct, 1900}, {Status::compile, 0}, {Status::timeout, 2}}),
            "1,900 correct, 2 timeout");
}

TEST(Text, CountsInSingularAndPlural) {
  EXPECT_EQ(counted(1, "configuration"), "1 configuration");
  EXPECT_EQ(counted(1200, "configuration"), "1,200 configurations");
}

TEST(Text, QuotesWhatAShellWouldSplit) {
  EXPECT_EQ(quoted_for_shell("runs/a-b_1.jsonl"), "runs/a-b_1.jsonl");
  EXPECT_EQ(quoted_for_shell("my runs/a.jsonl"), "'my runs/a.jsonl'");
  EXPECT_EQ(quoted_for_shell("it's"), "'it'\\''s'");
  EXPECT_EQ(quoted_for_shell(""), "''");
}

TEST(Text, ReadsCountsAndNumbersWhole) {
  EXPECT_EQ(*parse_count("18446744073709551615"), ~std::uint64_t{0});
  for (const char* text : {"", "-1", "1.5", "12x", "18446744073709551616"}) EXPECT_FALSE(parse_count(text)) << text;
  EXPECT_EQ(*parse_number("-0.25"), -0.25);
  for (const char* text : {"", "x", "1,5", "nan", "inf"}) EXPECT_FALSE(parse_number(text)) << text;
}

TEST(Text, SplitsAssignmentsAtTheFirstEqualsSign) {
  EXPECT_EQ(*parse_assignment("a=b=c"), std::pair(std::string("a"), std::string("b=c")));
  EXPECT_EQ(*parse_assignment("a="), std::pair(std::string("a"), std::string()));
  EXPECT_FALSE(parse_assignment("a"));
  EXPECT_FALSE(parse_assignment("=b"));
}

TEST(Text, WritesTimesInTheUnitThatSuits) {
  EXPECT_EQ(format_time(Nanoseconds(12)), "12 ns");
  EXPECT_EQ(format_time(Nanoseconds(1234567)), "1.235 ms");
  EXPECT_EQ(format_time(nanoseconds_from_seconds(90)), "90 s");
  EXPECT_EQ(format_wait(0.2), "1 s");
  EXPECT_EQ(format_wait(187), "3:07");
  EXPECT_EQ(format_wait(3750), "1:02:30");
}

TEST(Text, GroupsDigitsByThree) {
  EXPECT_EQ(group_digits(0), "0");
  EXPECT_EQ(group_digits(999), "999");
  EXPECT_EQ(group_digits(241600), "241,600");
  EXPECT_EQ(group_digits(1'000'000'000), "1,000,000,000");
  EXPECT_EQ(group_digits(~Uint128{0}), "340,282,366,920,938,463,463,374,607,431,768,211,455");
}

TEST(Text, WritesBytesInDecimalUnits) {
  EXPECT_EQ(format_bytes(268), "268 B");
  EXPECT_EQ(format_bytes(1'250'000), "1.25 MB");
}

}  // namespace
}  // namespace wattune::cli
