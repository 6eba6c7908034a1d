#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <latch>

#include "dynamic/fakes.h"
#include "dynamic/loading/gap_loader.h"
#include "dynamic/times.h"

namespace wattune::inline v0_1::dynamic {
namespace {

using backend::StreamState;
using fakes::FakeStreams;
using fakes::FakeVariant;
using testing::ElementsAre;
using testing::IsEmpty;

// A device on which loads take as long as the test says. Only loads and the test move its clock.
struct LoaderTest : testing::Test {
  LoadRequest load(int number, const void* owner = nullptr) {
    return {.load = [this]() -> Result<std::shared_ptr<Variant>> {
              if (meanwhile) meanwhile();
              now += load_takes;
              return std::shared_ptr<Variant>(std::make_shared<FakeVariant>());
            },
            .loaded = [this, number](const auto&) { loaded.push_back(number); },
            .owner = owner};
  }
  LoadRequest urgent(int number) {
    LoadRequest request = load(number);
    request.urgent = true;
    return request;
  }
  void launch(Nanoseconds expected = ms(1)) {
    stall_budget.begin(now);
    loader.note_launch(stream, expected);
  }
  void be(StreamState state) { streams.states[stream.handle()] = state; }
  // Looks at the streams as the thread does, for this time.
  void pass(Nanoseconds time) {
    for (const Nanoseconds end = now + time; now < end; now += ms(0.2)) loader.step();
  }

  Nanoseconds now = ms(1000);
  Nanoseconds load_takes = ms(0.08);
  std::function<void()> meanwhile;
  std::vector<int> loaded;
  FakeStreams streams;
  const CallStream stream = FakeStreams::stream(0x1000);
  StallBudget stall_budget{{.share = 0.02, .longest = ms(5)}};
  GapLoader loader{stall_budget, {.adopt = streams.adopt()}, [this] { return now; }};
};

TEST_F(LoaderTest, SleepsWhileNothingWaits) { EXPECT_EQ(loader.step(), std::nullopt); }

TEST_F(LoaderTest, BeforeTheFirstCallItLoadsAtOnce) {
  loader.request(load(1));
  loader.request(load(2));
  EXPECT_EQ(loader.step(), std::nullopt);
  EXPECT_THAT(loaded, ElementsAre(1, 2));
  EXPECT_EQ(stall_budget.stalls().total(), ms(0));
}

TEST_F(LoaderTest, WaitsForAGapAndLooksMoreAndMoreRarely) {
  launch();
  be(StreamState::busy);
  loader.request(load(1));
  EXPECT_EQ(loader.step(), Nanoseconds(40e3));
  EXPECT_EQ(loader.step(), Nanoseconds(80e3));
  for (int i = 0; i < 5; ++i) loader.step();
  EXPECT_EQ(loader.step(), Nanoseconds(200e3));
  EXPECT_THAT(loaded, IsEmpty());
  now += ms(50);
  be(StreamState::idle);
  loader.step();
  EXPECT_THAT(loaded, ElementsAre(1));
  EXPECT_EQ(loader.loads_in_gaps(), 1);
  EXPECT_EQ(stall_budget.stalls().total(), ms(0)) << "nobody waited";
}

TEST_F(LoaderTest, LoadsSeveralWhileTheGapLasts) {
  launch();
  now += ms(500);
  be(StreamState::idle);
  for (const int i : {1, 2, 3, 4}) loader.request(load(i));
  meanwhile = [this] {
    if (loaded.size() == 2) be(StreamState::busy);
  };
  loader.step();
  EXPECT_THAT(loaded, ElementsAre(1, 2, 3));
  meanwhile = {};
  be(StreamState::idle);
  loader.step();
  EXPECT_THAT(loaded, ElementsAre(1, 2, 3, 4));
}

TEST_F(LoaderTest, ACallThatComesBesideALoadWaitsForItsRest) {
  launch();
  now += ms(500);
  be(StreamState::idle);
  meanwhile = [this] {
    now += ms(0.5);
    launch();
  };
  loader.request(load(1));
  loader.step();
  EXPECT_EQ(stall_budget.stalls().loading, ms(0.08));
  EXPECT_EQ(stall_budget.longest(), ms(0.08));
}

TEST_F(LoaderTest, AShortGapIsUsedOnlyIfTheLedgerAffordsACallThatComes) {
  launch();
  now += ms(1);  // 2 % of it are 0.02 ms, a load is 0.1 ms
  be(StreamState::idle);
  loader.request(load(1));
  loader.step();
  EXPECT_THAT(loaded, IsEmpty());
  now += ms(1);  // ten times a load: it will last
  loader.step();
  EXPECT_THAT(loaded, ElementsAre(1));
}

TEST_F(LoaderTest, WithoutAGapItLoadsWhatTheLedgerAffords) {
  launch(ms(1));
  be(StreamState::busy);
  now += ms(1000);  // affords 20 ms
  for (int i = 0; i < 4; ++i) launch(ms(1));
  loader.request(load(1));
  loader.step();
  EXPECT_THAT(loaded, IsEmpty()) << "a gap may come";
  load_takes = ms(4.2);
  pass(ms(99));
  EXPECT_THAT(loaded, IsEmpty());
  pass(ms(2));
  EXPECT_THAT(loaded, ElementsAre(1));
  EXPECT_EQ(loader.loads_in_gaps(), 0);
  EXPECT_EQ(stall_budget.stalls().loading, ms(4.2)) << "whoever launched meanwhile waited so long at most";
}

TEST_F(LoaderTest, WhatIsQueuedMustFitIntoOneCallsBudget) {
  launch();
  be(StreamState::busy);
  now += ms(10'000);
  for (int i = 0; i < 4; ++i) launch(ms(100));  // 400 ms of 5 ms
  loader.request(load(1));
  pass(ms(200));
  EXPECT_THAT(loaded, IsEmpty());
}

TEST_F(LoaderTest, LearnsWhatTheApplicationQueuesBesides) {
  launch();
  be(StreamState::busy);
  now += ms(10'000);
  load_takes = ms(30);  // because of kernels that nobody announced
  loader.request(load(1));
  pass(ms(200));
  EXPECT_THAT(loaded, ElementsAre(1));
  now += ms(100'000);
  launch();
  loader.request(load(2));
  pass(ms(200));
  EXPECT_THAT(loaded, ElementsAre(1)) << "30 ms are more than a call may stall";
}

TEST_F(LoaderTest, UrgentRequestsWaitForNothingAndAreCharged) {
  launch();
  be(StreamState::busy);
  loader.request(load(1));
  loader.request(urgent(2));
  load_takes = ms(30);
  loader.step();
  EXPECT_THAT(loaded, ElementsAre(2));
  EXPECT_EQ(stall_budget.stalls().loading, ms(30));
}

TEST_F(LoaderTest, AGapOfTheApplicationsIsUsedInItsThread) {
  launch();
  be(StreamState::busy);
  for (const int i : {1, 2, 3, 4}) loader.request(load(i));
  // Each load takes 0.08 ms, but counts as 0.1 ms until one was measured. After two, 0.16 ms have passed, and a third
  // fits.
  EXPECT_EQ(loader.gap(ms(0.25)), ms(0.24));
  EXPECT_THAT(loaded, ElementsAre(1, 2, 3));
  EXPECT_EQ(loader.gap(ms(0.05)), ms(0));
  EXPECT_EQ(stall_budget.stalls().total(), ms(0));
}

TEST_F(LoaderTest, AGapThatWasNotLongEnoughIsCharged) {
  launch();
  load_takes = ms(3);
  loader.request(load(1));
  EXPECT_EQ(loader.gap(ms(1)), ms(3));
  EXPECT_EQ(stall_budget.stalls().loading, ms(2));
}

// A slow load must not keep all others out of gaps, so that they would be done beside busy streams.
TEST_F(LoaderTest, WhatHasWaitedIsDoneInAGapThatIsTooShort) {
  launch();
  load_takes = ms(3);
  loader.request(load(1));
  loader.gap(ms(1));
  now += ms(1000);  // affords 20 ms
  be(StreamState::busy);
  loader.request(load(2));
  loader.gap(ms(1));
  EXPECT_THAT(loaded, ElementsAre(1)) << "another gap may be longer";
  now += ms(50);
  loader.gap(ms(1));
  EXPECT_THAT(loaded, ElementsAre(1, 2));
  EXPECT_EQ(loader.loads_in_gaps(), 2);
  EXPECT_EQ(stall_budget.stalls().loading, ms(4)) << "2 ms more than each gap";
}

TEST_F(LoaderTest, WhereTheApplicationTellsOfGapsIdleMomentsBetweenItsCallsAreNotUsed) {
  launch();
  now += ms(500);  // affords 10 ms
  be(StreamState::idle);
  loader.gap(ms(1));
  launch(ms(0));
  loader.request(load(1));
  loader.step();
  EXPECT_THAT(loaded, IsEmpty()) << "the next gap will be told of";
  be(StreamState::busy);
  loader.step();
  now += ms(100);
  be(StreamState::idle);
  loader.step();
  EXPECT_THAT(loaded, ElementsAre(1)) << "it has told of none for long";
}

TEST_F(LoaderTest, AGapEndsWithACallThatCameWhileNothingWaited) {
  launch();
  now += ms(1000);
  be(StreamState::idle);
  loader.request(load(1));
  loader.step();
  EXPECT_THAT(loaded, ElementsAre(1));
  now += ms(500);
  loader.gap(ms(1));
  launch(ms(0));
  now += ms(0.1);
  loader.request(load(2));
  loader.step();
  EXPECT_THAT(loaded, ElementsAre(1)) << "the device has been idle for 0.1 ms, and more is being sent";
  loader.gap(ms(1));
  EXPECT_THAT(loaded, ElementsAre(1, 2));
}

TEST_F(LoaderTest, WhatIsLongerThanTheGapsThatAreToldOfWaitsForOneOfThemToo) {
  launch();
  now += ms(1000);
  be(StreamState::idle);
  load_takes = ms(3);
  loader.request(load(1));
  loader.gap(ms(1));
  launch(ms(0));
  loader.request(load(2));
  loader.step();
  EXPECT_THAT(loaded, ElementsAre(1)) << "what the next call sends would make it wait";
  now += ms(60);
  loader.gap(ms(1));
  EXPECT_THAT(loaded, ElementsAre(1, 2));
  EXPECT_EQ(stall_budget.stalls().loading, ms(4)) << "2 ms more than each gap";
}

TEST_F(LoaderTest, AGapThatIsToldOfPaysForItsPartOfALoad) {
  launch();
  now += ms(1000);  // affords 20 ms
  be(StreamState::idle);
  load_takes = ms(5.5);
  loader.request(load(1));
  loader.gap(ms(1));
  loader.request(load(2));
  now += ms(60);
  loader.gap(ms(1));
  EXPECT_THAT(loaded, ElementsAre(1, 2)) << "4.5 ms more than the gap: a call may lose 5";
  EXPECT_EQ(stall_budget.stalls().loading, ms(9));
}

// The budget gains 20 ms in a second, and 40 ms in two.
TEST_F(LoaderTest, ASlowLoadKeepsOthersOutUntilTheBudgetHasGainedAsMuch) {
  launch();
  now += ms(500);
  be(StreamState::idle);
  load_takes = ms(20);
  loader.request(load(1));
  loader.gap(ms(1));
  load_takes = ms(0.08);
  loader.request(load(2));
  const auto tell_of_gaps = [this](Nanoseconds time) {
    for (const Nanoseconds end = now + time; now < end; now += ms(20)) {
      launch(ms(0));
      loader.gap(ms(1));
    }
  };
  tell_of_gaps(ms(900));
  EXPECT_THAT(loaded, ElementsAre(1));
  tell_of_gaps(ms(200));
  EXPECT_THAT(loaded, ElementsAre(1, 2));
}

TEST_F(LoaderTest, ALoadThatACallCameBesideSaysNothingOfGaps) {
  launch();
  now += ms(1000);
  be(StreamState::idle);
  meanwhile = [this] { launch(ms(9)); };
  load_takes = ms(9);  // because of the work that the call has sent
  loader.request(load(1));
  loader.step();
  EXPECT_THAT(loaded, ElementsAre(1));
  meanwhile = {};
  load_takes = ms(0.08);
  loader.request(load(2));
  loader.gap(ms(1));
  EXPECT_THAT(loaded, ElementsAre(1, 2)) << "it is expected to take what it takes on an idle device";
}

TEST_F(LoaderTest, WhatWasDroppedNeitherRunsNorIsToldOf) {
  const int owner = 0;
  loader.request(load(1, &owner));
  loader.request(load(2));
  loader.drop(&owner);
  loader.step();
  EXPECT_THAT(loaded, ElementsAre(2));
}

TEST_F(LoaderTest, WhatIsNotCompiledIsAskedForUntilItIs) {
  bool is_compiled = false;
  LoadRequest first = urgent(1);
  first.ready = [&] { return is_compiled; };
  loader.request(first);
  EXPECT_EQ(loader.step(), ms(1)) << "compilers take longer than gaps";
  loader.request(load(2));
  loader.step();
  EXPECT_THAT(loaded, ElementsAre(2)) << "nothing waits behind it";
  is_compiled = true;
  loader.step();
  EXPECT_THAT(loaded, ElementsAre(2, 1));
}

TEST_F(LoaderTest, AnOwnerMayHurryWhatItHasRequested) {
  const int owner = 0;
  launch(ms(50));
  be(StreamState::busy);
  loader.request(load(1, &owner));
  loader.step();
  EXPECT_THAT(loaded, IsEmpty());
  loader.hurry(&owner);
  loader.step();
  EXPECT_THAT(loaded, ElementsAre(1));
}

TEST_F(LoaderTest, AForgottenStreamIsNotAskedAnyMore) {
  launch(ms(50));
  be(StreamState::busy);
  loader.forget(stream);
  loader.request(load(1));
  now += ms(1000);  // the stall_budget affords it
  loader.step();
  EXPECT_THAT(loaded, ElementsAre(1));
  EXPECT_EQ(loader.loads_in_gaps(), 1u);
}

TEST_F(LoaderTest, RetiredVariantsAreDestroyedInGapsBehindAllLoads) {
  int alive = 0;
  launch();
  be(StreamState::busy);
  loader.retire(std::make_shared<FakeVariant>(Configuration(), &alive));
  EXPECT_EQ(loader.step(), ms(10)) << "nobody waits for it";
  EXPECT_EQ(alive, 1);
  be(StreamState::idle);
  now += ms(500);
  loader.request(load(1));
  meanwhile = [&] { EXPECT_EQ(alive, 1); };
  EXPECT_EQ(loader.step(), std::nullopt);
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(loader.loads(), 1);
}

TEST_F(LoaderTest, ARetiredVariantThatIsStillHeldIsDestroyedLater) {
  int alive = 0;
  auto variant = std::make_shared<FakeVariant>(Configuration(), &alive);
  loader.retire(variant);
  EXPECT_EQ(loader.step(), ms(10));
  variant.reset();
  EXPECT_EQ(alive, 1) << "not in the thread that let go of it";
  EXPECT_EQ(loader.step(), std::nullopt);
  EXPECT_EQ(alive, 0);
}

TEST_F(LoaderTest, MorePrivateMemoryThanEverCostsWhatALoadDoes) {
  EXPECT_EQ(loader.private_memory_cost(0), ms(0));
  EXPECT_EQ(loader.private_memory_cost(1024), ms(0.1));
  launch(ms(3));
  EXPECT_EQ(loader.private_memory_cost(1024), ms(3.1));
  loader.note_private_memory(1024);
  loader.note_private_memory(16);
  EXPECT_EQ(loader.private_memory_cost(1024), ms(0));
  EXPECT_GT(loader.private_memory_cost(1025), ms(0));
}

// Room for 16 KiB is made with the load; 1 KiB fits from the start. The 2 % of a second pay for the 1 ms that making
// room may take.
TEST_F(LoaderTest, InAGapRoomIsMadeForTheFirstLaunch) {
  std::vector<std::size_t> made;
  GapLoader with_room{stall_budget,
                      {.adopt = streams.adopt(),
                       .make_room =
                           [&](std::size_t bytes) {
                             made.push_back(bytes);
                             return Result<void>();
                           }},
                      [this] { return now; }};
  stall_budget.begin(now);
  now += ms(1000);
  for (const std::size_t bytes : {1024, 16384, 4096})
    with_room.request({.load = [bytes]() -> Result<std::shared_ptr<Variant>> {
                         return std::shared_ptr<Variant>(
                             std::make_shared<FakeVariant>(Configuration(), nullptr, bytes));
                       },
                       .loaded = [](const auto&) {}});
  with_room.step();
  EXPECT_EQ(with_room.loads_in_gaps(), 3u);
  EXPECT_THAT(made, ElementsAre(16384));
  EXPECT_EQ(with_room.private_memory_cost(16384), ms(0));
}

TEST_F(LoaderTest, RoomIsNotMadeWhereTheBudgetCannotPayForACallThatWaits) {
  int made = 0;
  GapLoader with_room{stall_budget,
                      {.adopt = streams.adopt(),
                       .make_room =
                           [&](std::size_t) {
                             ++made;
                             return Result<void>();
                           }},
                      [this] { return now; }};
  stall_budget.begin(now);
  with_room.request({.load = [&]() -> Result<std::shared_ptr<Variant>> {
                       now += load_takes;
                       return std::shared_ptr<Variant>(std::make_shared<FakeVariant>(Configuration(), nullptr, 16384));
                     },
                     .loaded = [](const auto&) {},
                     .urgent = true});
  with_room.step();
  EXPECT_EQ(with_room.loads(), 1u);
  EXPECT_EQ(made, 0);
  EXPECT_GT(with_room.private_memory_cost(16384), ms(0)) << "the first launch is charged";
}

TEST(Loader, HasAThreadThatLoads) {
  StallBudget stall_budget({});
  FakeStreams streams;
  std::promise<std::thread::id> loaded;
  {
    const auto loader = make_loader(stall_budget, {.adopt = streams.adopt()});
    loader->request({.load = []() -> Result<std::shared_ptr<Variant>> { return Error(ErrorCode::internal, "no"); },
                     .loaded = [&](const auto&) { loaded.set_value(std::this_thread::get_id()); }});
    EXPECT_NE(loaded.get_future().get(), std::this_thread::get_id());
  }
}

TEST(Loader, DroppingWaitsForWhatRuns) {
  StallBudget stall_budget({});
  FakeStreams streams;
  std::promise<void> begun;
  std::atomic<bool> ended = false;
  const int owner = 0;
  const auto loader = make_loader(stall_budget, {.adopt = streams.adopt()});
  loader->request({.load = [&]() -> Result<std::shared_ptr<Variant>> {
                     begun.set_value();
                     std::this_thread::sleep_for(std::chrono::milliseconds(20));  // dropping would be over by then
                     return Error(ErrorCode::internal, "no");
                   },
                   .loaded = [&](const auto&) { ended = true; },
                   .owner = &owner});
  begun.get_future().wait();
  loader->drop(&owner);
  EXPECT_TRUE(ended);
}

TEST(Loader, ServesEightThreads) {
  StallBudget stall_budget({});
  FakeStreams streams;
  for (std::uintptr_t i = 1; i <= 8; ++i) streams.states[FakeStreams::stream(i << 12).handle()] = StreamState::idle;
  std::latch loaded(8 * 20);
  const auto loader = make_loader(stall_budget, {.adopt = streams.adopt()});
  std::vector<std::jthread> threads;
  for (std::uintptr_t i = 1; i <= 8; ++i)
    threads.emplace_back([&, stream = FakeStreams::stream(i << 12)] {
      for (std::size_t call = 0; call < 2000; ++call) {
        loader->note_launch(stream, Nanoseconds(100));
        loader->note_private_memory(call);
        if (call % 100 != 0) continue;
        loader->request({.load = [] { return std::shared_ptr<Variant>(std::make_shared<FakeVariant>()); },
                         .loaded = [&](const auto&) { loaded.count_down(); }});
        loader->retire(std::make_shared<FakeVariant>());
        loader->gap(ms(1));
      }
    });
  loaded.wait();
  EXPECT_EQ(loader->loads(), 160);
}

}  // namespace
}  // namespace wattune::dynamic
