// A search that a test drives by hand: without device, thread or clock; the test tells the time.
#include "wattune/tune/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tune/tuner_fakes.h"

namespace wattune::inline v0_1::tune {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Ids = std::vector<ConfigurationId>;

Ids ids_of(const std::vector<Configuration>& configurations) {
  Ids ids;
  for (const Configuration& each : configurations) ids.push_back(each.id());
  return ids;
}

// A fixture with ten configurations, proposed in the order of their ids; the default is the last.
class SearchByHand : public ::testing::Test {
 protected:
  static space::SearchSpace space_of_ten() {
    std::vector<Value> values;
    for (int i = 0; i < 10; ++i) values.emplace_back(i);
    return space::SearchSpace::build({{"p", values, Value(9), {}}}, {}).value();
  }

  Search& begin(const std::vector<std::string>& devices = {"d"}, const std::vector<Trial>& resumed = {},
                Nanoseconds now = {}) {
    strategy = search::make_strategy("exhaustive", space).value();
    search = std::make_unique<Search>(space, *strategy, devices, sink, observer, options);
    search->start(resumed, now);
    return *search;
  }
  // Evaluates all with 100, 101, ...: each slower than the one before by 1 %.
  void evaluate_all() {
    while (const auto next = search->next()) search->tell(measured(100.0 + static_cast<double>(next->id()))).value();
  }
  // Returns a contest of these, in which the one with id `fastest` is twice as fast as all others.
  static Contest contest_of(const std::vector<Configuration>& contestants, ConfigurationId fastest) {
    Contest contest;
    for (const Configuration& each : contestants) {
      contest.observations.push_back(measured(each.id() == fastest ? 50 : 100));
      const double objective = contest.observations.back().objective();
      contest.rounds.emplace_back(20, measure::Turn{.sample = {}, .objective = objective, .spent = {}});
    }
    return contest;
  }

  const space::SearchSpace space = space_of_ten();
  std::unique_ptr<search::Strategy> strategy;
  TuningOptions options{.shoot_out = {.finalists = 0}};
  LimitedSink sink;
  TuningObserver observer;
  std::unique_ptr<Search> search;
};

TEST_F(SearchByHand, HandsOutConfigurationsUntilThereIsNoMore) {
  begin();
  evaluate_all();
  const TuningResult result = search->result().value();
  EXPECT_EQ(result.evaluated, 10u);
  EXPECT_EQ(result.best->configuration.id(), 0u);
  EXPECT_EQ(result.stop_reason->cause, search::StopCause::whole_space);
  EXPECT_THAT(sink.trials, SizeIs(10));
}

// A clock varies fastest in the ids 0 to 5, which are (p, clock). In batches of two all values of p follow for each
// clock.
TEST_F(SearchByHand, ChangesSeldomWhatIsCostlyToChange) {
  const auto clocked = space::SearchSpace::build({{"p", {0, 1}, {}, {}}, {"clock", {1, 2, 3}, {}, {}}}, {}).value();
  const auto order = [&](std::size_t batch) {
    const auto all = search::make_strategy("exhaustive", clocked).value();
    Search grouped(clocked, *all, {"d"}, sink, observer, {.costly = {"clock"}, .batch = batch});
    grouped.start({});
    std::vector<std::int64_t> clocks;
    while (const auto next = grouped.next()) {
      clocks.push_back(next->find("clock")->as_integer());
      grouped.tell(measured(100.0)).value();
    }
    return clocks;
  };
  EXPECT_THAT(order(1), ElementsAre(1, 2, 3, 1, 2, 3));
  EXPECT_THAT(order(6), ElementsAre(1, 1, 2, 2, 3, 3));
  EXPECT_THAT(order(4), ElementsAre(1, 1, 2, 3, 3, 2));  // 1 2 3 1, of which the first leaves room for no more
}

// Nothing is compiled for a strategy that makes no use of it.
TEST_F(SearchByHand, HasItsProspectsCompiledBeforeItChooses) {
  EXPECT_THAT(begin().prospects(), IsEmpty());
  strategy = search::make_strategy("auto", space, {.parameters = {{"features", 4}}}).value();
  search = std::make_unique<Search>(space, *strategy, std::vector<std::string>{"d"}, sink, observer, options);
  search->start();
  const std::vector<Configuration> prospects = search->prospects();
  EXPECT_THAT(ids_of(search->expected()), ids_of(prospects));
  for (const Configuration& each : prospects) search->foresee(each, {.runs = false, .metrics = {}});
  const auto next = search->next();
  ASSERT_TRUE(next);
  EXPECT_THAT(ids_of(prospects), ::testing::Not(::testing::Contains(next->id())));
}

TEST_F(SearchByHand, ATrialIsInTheSinkWhenItsDeviceMayGoOn) {
  begin();
  ASSERT_TRUE(search->next());
  EXPECT_FALSE(search->idle());
  search->tell(measured(1)).value();
  EXPECT_THAT(sink.trials, SizeIs(1));
  EXPECT_EQ(search->idle(), 0u);
}

// The search began at 10 s of that clock.
TEST_F(SearchByHand, KnowsNoTimeButWhatItIsTold) {
  options.stop.time = nanoseconds_from_seconds(5);
  begin({"d"}, {}, nanoseconds_from_seconds(10));
  ASSERT_TRUE(search->next(nanoseconds_from_seconds(14)));
  search->tell(measured(1), nanoseconds_from_seconds(16)).value();
  EXPECT_EQ(search->progress().elapsed, nanoseconds_from_seconds(6));
  EXPECT_FALSE(search->next(nanoseconds_from_seconds(16)));
  EXPECT_EQ(search->result(nanoseconds_from_seconds(17))->elapsed, nanoseconds_from_seconds(7));
}

TEST_F(SearchByHand, SeveralDevicesHaveOneConfigurationEach) {
  options.ahead = 2;
  begin({"a", "b"});
  EXPECT_EQ(search->next({}, *search->idle())->id(), 0u);
  EXPECT_EQ(search->idle(), 1u);
  EXPECT_EQ(search->next({}, *search->idle())->id(), 1u);
  EXPECT_FALSE(search->idle());
  EXPECT_THAT(ids_of(search->expected()), ElementsAre(0, 1, 2));
  search->tell(measured(1), {}, 1).value();
  EXPECT_EQ(search->idle(), 1u);
  EXPECT_EQ(sink.trials.front().configuration.id(), 1u);
  EXPECT_EQ(sink.trials.front().device, "b");
}

TEST_F(SearchByHand, ProposesAsFarAheadAsItWasToldLast) {
  begin();
  ASSERT_TRUE(search->next());
  search->set_ahead(3);
  search->tell(measured(1)).value();
  ASSERT_TRUE(search->next());
  EXPECT_THAT(ids_of(search->expected()), ElementsAre(1, 2, 3));
  search->set_ahead(1);
  EXPECT_THAT(ids_of(search->expected()), ElementsAre(1, 2));
}

TEST_F(SearchByHand, WhatSuitsBetterTakesThePlaceOfWhatIsInFlight) {
  options.ahead = 3;
  begin();
  ASSERT_EQ(search->next()->id(), 0u);
  const auto is_two = [](const Configuration& each) { return each.id() == 2; };
  EXPECT_EQ(search->exchange(is_two)->id(), 2u);
  EXPECT_THAT(ids_of(search->expected()), ElementsAre(2, 0, 1));
  EXPECT_FALSE(search->exchange(is_two)) << "it is in flight itself";
  search->tell(measured(1)).value();
  EXPECT_EQ(sink.trials.front().configuration.id(), 2u);
  EXPECT_EQ(search->next()->id(), 0u);
  search->tell(measured(1)).value();
  evaluate_all();
  EXPECT_THAT(sink.trials, SizeIs(10));
}

TEST_F(SearchByHand, ALostDeviceLeavesItsConfigurationBehindAsFailed) {
  begin({"a", "b"});
  ASSERT_TRUE(search->next({}, 0));
  search->fail(Error(ErrorCode::device_lost, "gone"), {}, 0).value();
  EXPECT_EQ(sink.trials.front().observation.message, "a was lost: gone");
  EXPECT_EQ(search->idle(), 1u);
  ASSERT_TRUE(search->next({}, 1));
  search->fail(Error(ErrorCode::device_lost, "gone too"), {}, 1).value();
  EXPECT_FALSE(search->idle());
  EXPECT_EQ(search->result().error().message(), "gone too");
}

TEST_F(SearchByHand, AnErrorEndsItWhenWhatIsInFlightWasToldOf) {
  begin({"a", "b"});
  ASSERT_TRUE(search->next({}, 0));
  ASSERT_TRUE(search->next({}, 1));
  search->fail(Error(ErrorCode::mismatch, "another kernel"), {}, 0).value();
  EXPECT_FALSE(search->next({}, 0));
  EXPECT_TRUE(search->waiting());
  search->tell(measured(1), {}, 1).value();
  EXPECT_FALSE(search->waiting());
  EXPECT_THAT(sink.trials, SizeIs(1));
  EXPECT_EQ(search->result().error().message(), "another kernel");
}

TEST_F(SearchByHand, NothingIsHandedOutOnceTheSinkFailed) {
  sink.room = 0;
  begin();
  ASSERT_TRUE(search->next());
  EXPECT_EQ(search->tell(measured(1)).error().message(), "disk full");
  EXPECT_FALSE(search->next());
  EXPECT_EQ(search->result().error().message(), "disk full");
}

TEST_F(SearchByHand, GoesOnFromEarlierTrials) {
  const Trial earlier{space.configuration(0), measured(7), {}, "b"};
  begin({"a", "b"}, {earlier});
  EXPECT_FALSE(search->best_before(0));
  EXPECT_EQ(search->best_before(1)->objective(), 7.0);
  EXPECT_EQ(search->next({}, 0)->id(), 1u);
  EXPECT_EQ(search->so_far().resumed, 1u);
}

// 100 and 101 cannot be told apart; 9 is the default.
TEST_F(SearchByHand, TheFinalIsDrivenByHandToo) {
  options.shoot_out.finalists = 8;
  begin();
  evaluate_all();
  const std::vector<Configuration> contestants = search->next_contest();
  EXPECT_THAT(ids_of(contestants), ElementsAre(0, 1, 9));
  search->tell(contest_of(contestants, 1)).value();
  EXPECT_THAT(search->next_contest(), IsEmpty());
  const TuningResult result = search->result().value();
  EXPECT_EQ(result.best->configuration.id(), 1u);
  EXPECT_EQ(result.best->observation.final_place, FinalPlace::winner);
  EXPECT_DOUBLE_EQ(result.best->observation.over_default->median, 2.0);
  EXPECT_THAT(sink.trials, SizeIs(13));
}

TEST_F(SearchByHand, AContestWhoseDeviceIsLostIsCalledAgain) {
  options.shoot_out.finalists = 8;
  begin({"a", "b"});
  evaluate_all();  // on a
  const Ids called = ids_of(search->next_contest());
  search->fail(Error(ErrorCode::device_lost, "gone"), {}, 0).value();
  EXPECT_EQ(search->idle(), 1u);
  EXPECT_EQ(ids_of(search->next_contest()), called);
  search->tell(contest_of(search->next_contest(), 9), 1).value();
  EXPECT_EQ(search->result()->best->configuration.id(), 9u);
  EXPECT_EQ(search->result()->best->device, "b");
}

TEST_F(SearchByHand, ACancelledContestDecidesNothing) {
  options.shoot_out.finalists = 8;
  begin();
  evaluate_all();
  ASSERT_THAT(search->next_contest(), SizeIs(3));
  search->tell(Contest()).value();
  EXPECT_THAT(search->next_contest(), IsEmpty());
  EXPECT_EQ(search->result()->best->configuration.id(), 0u);
  EXPECT_THAT(sink.trials, SizeIs(10));
}

}  // namespace
}  // namespace wattune::tune
