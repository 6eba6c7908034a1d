#include "schedule/interface/arrivals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schedule/tiny_machine.h"

namespace wattune::inline v0_1::schedule {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ArrivalsTest : public testing::Test {
 protected:
  ArrivalsTest() {
    machine_.add(tiny_kernel("gemm"));
    machine_.add(tiny_kernel("copy"));
  }
  std::string refusal(std::string_view text) {
    const auto parsed = parse_arrivals(text, "t.csv", machine_);
    return parsed ? "taken" : parsed.error().to_string();
  }

  TinyMachine machine_;
};

TEST_F(ArrivalsTest, AreReadWithAndWithoutNamesAndPriorities) {
  const Arrival first{Nanoseconds(0), 1, 0};
  const Arrival second{nanoseconds_from_ms(0.5), 0, -2};
  EXPECT_THAT(parse_arrivals("moment_ms,kernel,priority\n0,copy,0\n0.5,gemm,-2\n", "t.csv", machine_).value(),
              ElementsAre(first, second));
  EXPECT_THAT(parse_arrivals("moment_ms,kernel\r\n0,copy\r\n\r\n", "t.csv", machine_).value(), ElementsAre(first));
  EXPECT_THAT(parse_arrivals(" 0 , copy ", "t.csv", machine_).value(), ElementsAre(first));
}

TEST_F(ArrivalsTest, AreRefusedByLine) {
  EXPECT_EQ(refusal("0,copy\n1,copi\n"), "t.csv:2: no kernel of this name runs here: `copi` (did you mean `copy`?)");
  EXPECT_EQ(refusal("0,copy,high\n"), "t.csv:1: expected moment_ms,kernel,priority: `0,copy,high`");
  EXPECT_THAT(refusal("0;copy\n"), HasSubstr("t.csv:1: expected"));
  EXPECT_THAT(refusal("1e999,copy\n"), HasSubstr("t.csv:1: expected"));
  EXPECT_THAT(refusal("2,copy\n1,copy\n"), HasSubstr("t.csv:2: the work arrives before that of the line above"));
  EXPECT_EQ(refusal("\n\n"), "t.csv: the table has no arrivals (moment_ms,kernel,priority)");
}

}  // namespace
}  // namespace wattune::schedule
