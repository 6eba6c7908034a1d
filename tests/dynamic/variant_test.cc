#include "dynamic/calls/variant.h"

#include <gtest/gtest.h>

#include "dynamic/fakes.h"
#include "dynamic/times.h"

namespace wattune::inline v0_1::dynamic {
namespace {

struct TimedCalls : testing::Test {
  std::unique_ptr<backend::Event> event(double from, double until) const {
    return std::make_unique<fakes::FakeEvent>(ms(until - from), ready, ms(from));
  }
  // Returns a span between marks that take 1 ms each.
  MarkedSpan span(double begin, double end) const { return {event(begin - 1, begin), event(end, end + 1)}; }

  bool ready = true;
};

TEST_F(TimedCalls, AreTheSumOfTheirLaunches) {
  std::vector<std::unique_ptr<backend::Event>> launches;
  launches.push_back(event(0, 3));
  launches.push_back(event(5, 9));
  EXPECT_EQ(TimedCall(std::move(launches)).duration().value(), ms(7));
}

TEST_F(TimedCalls, OfASpanLeaveOutWhatDoesNotCount) {
  std::vector<MarkedSpan> transfers;
  transfers.push_back(span(10, 14));
  transfers.push_back(span(20, 22));
  const TimedCall call(span(8, 30), std::move(transfers));
  EXPECT_EQ(call.duration().value(), ms(16));  // 30 - 8, less 4 and 2
}

TEST_F(TimedCalls, OfASpanAreReadyWithItsEnd) {
  const TimedCall call(span(8, 30), {});
  EXPECT_TRUE(call.ready().value());
  ready = false;
  EXPECT_FALSE(call.ready().value());
}

}  // namespace
}  // namespace wattune::dynamic
