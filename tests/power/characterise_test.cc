// Characterisation of sensors with known behaviour, in virtual time (switched_board.h).
#include "power/interface/characterise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "power/switched_board.h"

namespace wattune::inline v0_1::power {
namespace {

using test::SwitchedBoard;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

SensorTraits traits_found(SwitchedBoard& board) {
  const Result<Characterisation> found = characterise(board, &board);
  EXPECT_TRUE(found) << found.error().to_string();
  return found->sensors.at("power");
}

struct Case {
  double period_ms, window_ms, lag_ms, noise;
};

class Boxcars : public ::testing::TestWithParam<Case> {};

// The recorder reads every 2 ms, so a moment is known to 1 ms, and the edges of windows to about as much.
TEST_P(Boxcars, AreFound) {
  const auto& [period_ms, window_ms, lag_ms, noise] = GetParam();
  SwitchedBoard board;
  board.power = {.response = Response::boxcar,
                 .period = nanoseconds_from_ms(period_ms),
                 .window = nanoseconds_from_ms(window_ms),
                 .lag = nanoseconds_from_ms(lag_ms),
                 .noise = noise};
  const SensorTraits found = traits_found(board);
  EXPECT_EQ(found.response, Response::boxcar);
  EXPECT_TRUE(found.measured);
  EXPECT_NEAR(to_ms(found.period), period_ms, 0.02 * period_ms);
  EXPECT_NEAR(to_ms(found.window), window_ms, 3.0 + 0.03 * window_ms);
  EXPECT_NEAR(to_ms(found.lag), lag_ms, 4.0);
  EXPECT_NEAR(found.noise, noise, 0.004);
}

// A100 and H100; Turing, Ampere and Ada; the mean of a second; Volta; one that publishes late.
INSTANTIATE_TEST_SUITE_P(OfKnownBoards, Boxcars,
                         ::testing::Values(Case{100, 25, 0, 0.005}, Case{100, 100, 0, 0.005}, Case{100, 1000, 0, 0.001},
                                           Case{20, 10, 0, 0.005}, Case{100, 25, 40, 0.0}));

// K20c: Guerreiro's time constant.
TEST(Characterise, FindsALag) {
  SwitchedBoard board;
  board.power = {.response = Response::lag,
                 .period = nanoseconds_from_ms(15),
                 .time_constant = nanoseconds_from_ms(833),
                 .noise = 0.002};
  const SensorTraits found = traits_found(board);
  EXPECT_EQ(found.response, Response::lag);
  EXPECT_NEAR(to_ms(found.period), 15, 0.5);
  EXPECT_NEAR(to_ms(found.time_constant), 833, 25);
  EXPECT_NEAR(found.noise, 0.002, 0.001);
}

TEST(Characterise, FindsTheCountersPeriodAndThatItCountsAll) {
  SwitchedBoard board;
  const Characterisation found = characterise(board, &board).value();
  const SensorTraits& counter = found.sensors.at("counter");
  EXPECT_EQ(counter.response, Response::counter);
  EXPECT_NEAR(to_ms(counter.period), 100, 1);
  EXPECT_NEAR(to_ms(counter.window), 100, 5);
  EXPECT_NEAR(to_ms(counter.lag), 0, 4);
  EXPECT_TRUE(found.problems.empty());
}

// No publication tells whether counters see more of a period than power sensors do.
TEST(Characterise, FindsACounterThatSeesAQuarterOfEachPeriod) {
  SwitchedBoard board;
  board.counter_window = nanoseconds_from_ms(25);
  const SensorTraits counter = characterise(board, &board)->sensors.at("counter");
  EXPECT_EQ(counter.response, Response::counter);
  EXPECT_NEAR(to_ms(counter.window), 25, 4);
}

TEST(Characterise, FindsThePowerAtRestWithAndWithoutAContext) {
  SwitchedBoard board;
  const Characterisation found = characterise(board, &board).value();
  EXPECT_NEAR(found.idle->value(), test::kIdleWatts.value(), 0.1);
  EXPECT_NEAR(found.context_idle->value.value(), test::kContextWatts.value(), 0.1);
}

TEST(Characterise, WithoutALoadFindsThePowerAtRestAlone) {
  SwitchedBoard board;
  const Characterisation found = characterise(board, nullptr).value();
  EXPECT_NEAR(found.idle->value(), test::kIdleWatts.value(), 0.1);
  EXPECT_FALSE(found.context_idle);
  EXPECT_TRUE(found.sensors.empty());
}

TEST(Characterise, RefusesASensorThatDoesNotFollowTheLoad) {
  SwitchedBoard board;
  board.deaf = true;
  board.power.noise = 0.01;
  const Characterisation found = characterise(board, &board).value();
  EXPECT_EQ(found.sensors.count("power"), 0u);
  EXPECT_EQ(found.sensors.count("counter"), 1u);
  EXPECT_THAT(found.problems, ElementsAre(HasSubstr("power did not follow the load")));
}

TEST(Characterise, RefusesABoardWithoutASensorThatFollows) {
  SwitchedBoard board;
  board.deaf = true;
  board.counter_stuck = true;
  const auto refused = characterise(board, &board);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::unavailable);
  EXPECT_THAT(refused.error().to_string(), HasSubstr("cannot be characterised: counter stands still"));
}

class BrokenLoad : public KnownLoad {
 public:
  Result<void> prepare() override { return {}; }
  Result<void> run(Nanoseconds) override { return Error(ErrorCode::device_lost, "the device is lost"); }
};

TEST(Characterise, EndsWithTheLoadsError) {
  SwitchedBoard board;
  BrokenLoad load;
  EXPECT_EQ(characterise(board, &load).error().code(), ErrorCode::device_lost);
}

TEST(UpdatePeriod, CountsAMissedChangeAsTwoPeriods) {
  const auto at = [](double ms) { return Change<Watts>{nanoseconds_from_ms(ms), nanoseconds_from_ms(ms), Watts(ms)}; };
  // Periods of 100 ms; the change at 300 showed the same value.
  const auto period = update_period<Watts>({at(0), at(100), at(200), at(400), at(500), at(600)});
  ASSERT_TRUE(period);
  EXPECT_DOUBLE_EQ(to_ms(*period), 100);
  EXPECT_FALSE(update_period<Watts>({at(0), at(100)}));
}

// Neighbours differ by 2 W, which gives a standard deviation of 2 / sqrt(2) W, however the level changes.
TEST(RelativeNoise, IsThatOfNeighbours) {
  std::vector<Change<Watts>> readings;
  for (int i = 0; i < 100; ++i) {
    const Nanoseconds at = nanoseconds_from_ms(i);
    readings.push_back({at, at, Watts(i % 2 == 0 ? 100 : 102)});
  }
  EXPECT_NEAR(relative_noise(readings, {}, nanoseconds_from_ms(100)), std::sqrt(2.0) / 101.0, 1e-9);
  EXPECT_EQ(relative_noise(readings, {}, nanoseconds_from_ms(1)), 0.0);
}

TEST(PowerBetween, LeavesOutWhatAResetHides) {
  const auto at = [](double ms, double joules) {
    return Change<Joules>{nanoseconds_from_ms(ms), nanoseconds_from_ms(ms), Joules(joules)};
  };
  // 10 J in 100 ms are 100 W; the counter then starts from 3 J.
  const auto power =
      power_between({at(0, 5), at(100, 100), at(200, 110), at(300, 3), at(400, 13)}, nanoseconds_from_ms(100));
  ASSERT_EQ(power.size(), 2u);
  EXPECT_DOUBLE_EQ(power[0].value.value(), 100);
  EXPECT_DOUBLE_EQ(power[1].value.value(), 100);
}

}  // namespace
}  // namespace wattune::power
