#include "dynamic/calls/stream_table.h"

#include <gtest/gtest.h>

#include "dynamic/fakes.h"
#include "dynamic/times.h"

namespace wattune::inline v0_1::dynamic {
namespace {

using backend::StreamState;
using fakes::FakeStreams;

struct StreamTableTest : testing::Test {
  void* handle(std::uintptr_t number) { return FakeStreams::stream(number).handle(); }

  FakeStreams streams;
  StreamTable table{streams.adopt()};
  const CallStream first = FakeStreams::stream(0x1000);
  const CallStream second = FakeStreams::stream(0x2000);
};

TEST_F(StreamTableTest, NothingThatIsKnownIsIdle) { EXPECT_TRUE(table.all_idle(ms(0))); }

TEST_F(StreamTableTest, EveryStreamMustBeIdle) {
  table.note(first, ms(1), ms(0));
  table.note(second, ms(1), ms(0));
  streams.states = {{first.handle(), StreamState::idle}, {second.handle(), StreamState::busy}};
  EXPECT_FALSE(table.all_idle(ms(1)));
  streams.states[second.handle()] = StreamState::idle;
  EXPECT_TRUE(table.all_idle(ms(1)));
  streams.states[first.handle()] = StreamState::capturing;
  EXPECT_FALSE(table.all_idle(ms(1)));
}

TEST_F(StreamTableTest, TheDefaultStreamIsAStreamToo) {
  const CallStream legacy(static_cast<CUstream_st*>(nullptr));
  table.note(legacy, ms(1), ms(0));
  streams.states = {{nullptr, StreamState::busy}};
  EXPECT_FALSE(table.all_idle(ms(10)));
}

TEST_F(StreamTableTest, LaunchesQueueUpUntilTheStreamIsSeenIdle) {
  for (int i = 0; i < 3; ++i) table.note(first, ms(2), ms(0));
  table.note(second, ms(1), ms(0));
  EXPECT_EQ(table.queued(ms(0)), ms(7));
  EXPECT_EQ(table.queued(ms(2)), ms(4));  // the second stream's has ended
  streams.states = {{first.handle(), StreamState::idle}, {second.handle(), StreamState::idle}};
  EXPECT_TRUE(table.all_idle(ms(2)));
  EXPECT_EQ(table.queued(ms(2)), ms(0));
}

TEST_F(StreamTableTest, OthersAreBusyWhileTheirLaunchesLast) {
  table.note(first, ms(2), ms(0));
  EXPECT_FALSE(table.others_busy(first, ms(1)));
  EXPECT_TRUE(table.others_busy(second, ms(1)));
  EXPECT_FALSE(table.others_busy(second, ms(2)));
}

TEST_F(StreamTableTest, AStreamThatCannotTellIsIdleWhenItsLaunchesShouldHaveEnded) {
  streams.can_be_asked = false;
  table.note(first, ms(2), ms(0));
  EXPECT_FALSE(table.all_idle(ms(1)));
  EXPECT_TRUE(table.all_idle(ms(2)));
}

TEST_F(StreamTableTest, AStreamWhoseStateIsAnErrorIsForgotten) {
  table.note(first, ms(100), ms(0));
  EXPECT_TRUE(table.all_idle(ms(1)));
  EXPECT_EQ(table.queued(ms(1)), ms(0));
  streams.states = {{first.handle(), StreamState::busy}};
  EXPECT_TRUE(table.all_idle(ms(2))) << "nobody asks for it any more";
  table.note(first, ms(1), ms(3));
  EXPECT_FALSE(table.all_idle(ms(3))) << "until the next launch";
}

TEST_F(StreamTableTest, AStreamThatIsNotUsedIsNotAsked) {
  table.note(first, ms(1), ms(0));
  streams.states = {{first.handle(), StreamState::busy}};
  EXPECT_FALSE(table.all_idle(ms(999)));
  EXPECT_TRUE(table.all_idle(ms(1000)));
}

TEST_F(StreamTableTest, WithMoreStreamsThanItHoldsNothingIsIdle) {
  for (std::uintptr_t i = 1; i <= StreamTable::kMostStreams + 1; ++i) {
    table.note(FakeStreams::stream(i << 12), ms(0), ms(0));
    streams.states[handle(i << 12)] = StreamState::idle;
  }
  EXPECT_FALSE(table.all_idle(ms(10)));
  EXPECT_TRUE(table.all_idle(ms(1000)));
}

TEST_F(StreamTableTest, SeesTheFirstLaunchBesideALoad) {
  table.begin_load();
  EXPECT_EQ(table.end_load(), std::nullopt);
  table.note(first, ms(1), ms(4));
  table.begin_load();
  table.note(first, ms(1), ms(5));
  table.note(second, ms(1), ms(6));
  EXPECT_EQ(table.end_load(), ms(5));
}

}  // namespace
}  // namespace wattune::dynamic
