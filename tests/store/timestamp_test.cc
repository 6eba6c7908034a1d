#include "store/interface/timestamp.h"

#include <gtest/gtest.h>

namespace wattune::inline v0_1::store {
namespace {

// 2022-12-23 is 19349 days after the epoch: 52 years of 365 days, 13 leap days, 356 days of 2022.
constexpr std::chrono::seconds kDay = std::chrono::hours(24 * 19349);

std::chrono::nanoseconds read(const char* text) {
  const auto time = parse_timestamp(text);
  return time ? time->time_since_epoch() : std::chrono::nanoseconds(-1);
}

TEST(Timestamp, ReadsBackAsTheSameTime) {
  const TimePoint time{kDay + std::chrono::nanoseconds(3'000'000'007)};
  EXPECT_EQ(format_timestamp(time), "2022-12-23T00:00:03.000000007Z");
  EXPECT_EQ(parse_timestamp(format_timestamp(time)), time);
  const TimePoint before_the_epoch{std::chrono::nanoseconds(-1)};
  EXPECT_EQ(format_timestamp(before_the_epoch), "1969-12-31T23:59:59.999999999Z");
  EXPECT_EQ(parse_timestamp(format_timestamp(before_the_epoch)), before_the_epoch);
}

TEST(Timestamp, IsWrittenAsPythonDoes) {
  EXPECT_EQ(format_python_timestamp(TimePoint{kDay + std::chrono::nanoseconds(123'456'789)}),
            "2022-12-23 00:00:00.123456+00:00");
}

TEST(Timestamp, AcceptsTheFormsOfResultFiles) {
  using namespace std::chrono_literals;
  EXPECT_EQ(read("2022-12-23 12:11:26.411558+00:00"), kDay + 12h + 11min + 26s + 411558us);
  EXPECT_EQ(read("2022-12-23T12:11:26"), kDay + 12h + 11min + 26s);
  EXPECT_EQ(read("2022-12-23 12:11:7 UTC"), kDay + 12h + 11min + 7s);
  EXPECT_EQ(read("2022-12-23T12:11:26.5+01:30"), kDay + 10h + 41min + 26s + 500ms);
  EXPECT_EQ(read("2022-12-23T12:11:26-0130"), kDay + 13h + 41min + 26s);
  EXPECT_EQ(read("2022-12-23T12:11:26.1234567891Z"), kDay + 12h + 11min + 26s + 123456789ns);
}

TEST(Timestamp, RefusesAnythingElse) {
  for (const char* text :
       {"", "yesterday", "2022-12-23", "2022-13-01T00:00:00Z", "2022-02-30T00:00:00Z", "2022-12-23T12:11:26.Z",
        "2022-12-23T12:11:26Zulu", "9999-01-01T00:00:00Z", "1500-01-01T00:00:00Z", "2022-12-23T12:11:26+"})
    EXPECT_FALSE(parse_timestamp(text)) << text;
}

}  // namespace
}  // namespace wattune::store
