#include "schedule/interface/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace wattune::inline v0_1::schedule {
namespace {

Span span_of(std::string kernel) {
  return {.kernel = std::move(kernel),
          .work = 3,
          .lane = 8,
          .form = Form::persistent,
          .per_sm = 2,
          .blocks = 50,
          .begin = Nanoseconds(1500),
          .end = Nanoseconds(4000)};
}

TEST(Trace, IsTheTraceEventFormat) {
  Trace trace;
  trace.add(span_of("gemm \"fast\"\n"));
  trace.add(Decision{Nanoseconds(1000), "gemm alone", 1.0, 4});
  const auto json = nlohmann::json::parse(trace.json());
  const auto& events = json.at("traceEvents");
  ASSERT_EQ(events.size(), 4U);  // names of two tracks, the span, the decision
  EXPECT_EQ(events[2].at("name"), "gemm \"fast\"\n");
  EXPECT_EQ(events[2].at("ph"), "X");
  EXPECT_EQ(events[2].at("ts"), 1.5);  // microseconds
  EXPECT_EQ(events[2].at("dur"), 2.5);
  EXPECT_EQ(events[2].at("tid"), 9);
  EXPECT_EQ(events[2].at("args").at("form"), "persistent");
  EXPECT_EQ(events[3].at("ph"), "i");
  EXPECT_EQ(events[3].at("args").at("works"), 4);
}

TEST(Trace, HoldsNoMoreThanItMay) {
  Trace trace(2);
  for (int i = 0; i < 5; ++i) trace.add(span_of("a"));
  EXPECT_EQ(trace.spans().size(), 2U);
  EXPECT_EQ(trace.dropped(), 3U);
}

}  // namespace
}  // namespace wattune::schedule
