// Tests differences of entrants that ran in turns: with numbers computed by hand, and by how often the verdict is
// wrong.
#include "wattune/schedule/round_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "core/student.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::schedule {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Nanoseconds> times(const std::vector<double>& values) { return {values.begin(), values.end()}; }

// Draws from the standard normal distribution (Box and Muller).
double normal(Random& random) {
  return std::sqrt(-2.0 * std::log(1.0 - random.uniform())) * std::cos(2.0 * std::numbers::pi * random.uniform());
}

// Draws rounds of entrants with these mean times, with this noise in each run and a drift from round to round.
RoundTimes drawn(const std::vector<double>& means, std::size_t rounds, double noise, Random& random) {
  RoundTimes drawn{.times = std::vector<std::vector<Nanoseconds>>(means.size())};
  for (std::size_t round = 0; round < rounds; ++round) {
    const double drift = 1.0 + 0.3 * random.uniform();
    for (std::size_t i = 0; i < means.size(); ++i)
      drawn.times[i].emplace_back(means[i] * drift * (1.0 + noise * normal(random)));
  }
  return drawn;
}

bool tells_some_apart(const RoundTimes& rounds) {
  for (std::size_t i = 0; i < rounds.times.size(); ++i)
    for (std::size_t j = i + 1; j < rounds.times.size(); ++j)
      if (gain_over(rounds, i, j)->excludes_zero()) return true;
  return false;
}

// Returns for how many per cent of so many drawn tables `holds` is true.
template <typename Holds>
double percent_of_tables(int tables, const std::vector<double>& means, double noise, const Holds& holds) {
  Random random(7);
  int count = 0;
  for (int table = 0; table < tables; ++table) count += holds(drawn(means, 5, noise, random)) ? 1 : 0;
  return 100.0 * count / tables;
}

// Values from tables of Student's distribution: 2.776 for 95 % and 4 degrees of freedom, 12.706 for 1, 3.250 for 99 %
// and 9.
TEST(Student, QuantilesAreThoseOfTables) {
  EXPECT_NEAR(student_quantile(0.95, 4), 2.7764451, 1e-6);
  EXPECT_NEAR(student_quantile(0.95, 1), 12.7062047, 1e-6);
  EXPECT_NEAR(student_quantile(0.95, 2), 4.3026527, 1e-6);
  EXPECT_NEAR(student_quantile(0.99, 9), 3.2498355, 1e-6);
  EXPECT_NEAR(student_quantile(0.95, 1000), 1.9623391, 1e-6);
}

// Ratios of 1.21 and 1 have the mean 1.1, whatever both took. Their logarithms, 0.1906 and 0, have the standard error
// 0.0953. With one degree of freedom it counts 12.706 times.
TEST(RoundTimes, GainsAreOfRatiosWithinARound) {
  const RoundTimes rounds{.times = {times({10.0, 300.0}), times({12.1, 300.0})}};
  const Gain gain = gain_over(rounds, 0, 1).value();
  EXPECT_NEAR(gain.gain, 0.1, 1e-12);
  EXPECT_NEAR(gain.low, 1.1 * std::exp(-12.7062047 * 0.5 * std::log(1.21)) - 1.0, 1e-6);
  EXPECT_NEAR(gain.high, 1.1 * std::exp(12.7062047 * 0.5 * std::log(1.21)) - 1.0, 1e-5);
  EXPECT_NEAR(gain_over(rounds, 1, 0)->gain, 1.0 / 1.1 - 1.0, 1e-12);
}

// In the first round the one gains 21 % and the other nothing, so that the mean is 10 %; in the second neither gains.
// The third has no counterpart.
TEST(RoundTimes, AMeanGainHasTheIntervalOfTheMeansOfTheRounds) {
  const RoundTimes one{.times = {times({12.1, 300.0, 7.0}), times({10.0, 300.0, 1.0})}};
  const RoundTimes other{.times = {times({5.0, 5.0}), times({5.0, 5.0})}};
  const Gain mean = mean_gain({one, other}).value();
  const Gain same = gain_over({.times = {times({1.0, 1.0}), times({1.1, 1.0})}}, 0, 1).value();
  EXPECT_NEAR(mean.gain, same.gain, 1e-12);
  EXPECT_NEAR(mean.low, same.low, 1e-12);
  EXPECT_NEAR(mean.high, same.high, 1e-12);
  EXPECT_EQ(mean_gain({}), std::nullopt);
  EXPECT_EQ(mean_gain({one, {.times = {times({1.0}), times({1.0})}}}), std::nullopt);
}

TEST(RoundTimes, OneRoundTellsNothingUnlessTimesAreExact) {
  RoundTimes rounds{.times = {times({10.0}), times({20.0})}};
  EXPECT_EQ(gain_over(rounds, 0, 1), std::nullopt);
  EXPECT_EQ(standing_of(rounds), std::nullopt);
  rounds.is_exact = true;
  EXPECT_EQ(gain_over(rounds, 0, 1), (Gain{1.0, 1.0, 1.0}));
  EXPECT_EQ(standing_of(rounds)->fastest, 0U);
  EXPECT_THAT(standing_of(rounds)->ties, IsEmpty());
}

TEST(RoundTimes, ExactTimesThatAreTheSameTie) {
  const RoundTimes rounds{.times = {times({10.0}), times({10.0 + 1e-13}), times({11.0})}, .is_exact = true};
  EXPECT_THAT(standing_of(rounds)->ties, ElementsAre(1U - standing_of(rounds)->fastest));
}

TEST(RoundTimes, WhatTookNoTimeIsNotCompared) {
  EXPECT_EQ(gain_over({.times = {times({0.0, 1.0}), times({1.0, 1.0})}}, 0, 1), std::nullopt);
  EXPECT_EQ(gain_over({.times = {times({}), times({1.0, 1.0})}}, 0, 1), std::nullopt);
  EXPECT_EQ(standing_of({}), std::nullopt);
}

// The third round, of 1000, has no counterpart.
TEST(RoundTimes, RoundsThatBothHaveCount) {
  const RoundTimes rounds{.times = {times({10.0, 10.0}), times({20.0, 20.0, 1000.0})}};
  EXPECT_NEAR(gain_over(rounds, 0, 1)->gain, 1.0, 1e-12);
  EXPECT_THAT(standing_of(rounds)->ties, IsEmpty());
}

// 5 % of 10,000 tables have a standard deviation of 0.22 points; two of these are left as a margin.
TEST(RoundTimes, EqualOnesAreToldApartInFiveOfAHundredTablesHoweverManyThereAre) {
  for (const std::size_t entrants : {2, 3, 4, 6})
    EXPECT_LE(percent_of_tables(10000, std::vector<double>(entrants, 1.0), 0.01, tells_some_apart), 5.44) << entrants;
}

// A winner must beat all others.
TEST(RoundTimes, AWinnerOfEqualOnesIsRare) {
  const auto names_one = [](const RoundTimes& rounds) { return standing_of(rounds)->ties.empty(); };
  for (const std::size_t entrants : {3, 4, 6})
    EXPECT_LE(percent_of_tables(1000, std::vector<double>(entrants, 1.0), 0.01, names_one), 2.0) << entrants;
}

TEST(RoundTimes, AGainOfTenPercentIsNamed) {
  const auto names_last = [](const RoundTimes& rounds) {
    const Standing standing = standing_of(rounds).value();
    return standing.fastest + 1 == rounds.times.size() && standing.ties.empty();
  };
  for (const std::size_t entrants : {2, 4, 6}) {
    std::vector<double> means(entrants, 1.0);
    means.back() = 1.0 / 1.1;
    EXPECT_GE(percent_of_tables(1000, means, 0.01, names_last), 95.0) << entrants;
  }
}

// The interval contains the true value: 1.0 against 1.1 is a gain of 10 %.
TEST(RoundTimes, IntervalsHoldTheTruth) {
  EXPECT_GE(percent_of_tables(1000, {1.0, 1.1}, 0.05,
                              [](const RoundTimes& rounds) {
                                const Gain gain = gain_over(rounds, 0, 1).value();
                                return gain.low <= 0.1 && 0.1 <= gain.high;
                              }),
            93.6);
}

// The limit is 2 %, or a quarter of the 40 % that are claimed.
TEST(RoundTimes, AControlMayBeOffByLittleOfWhatIsClaimed) {
  EXPECT_TRUE(control_of(0.019, 0.0).holds());
  EXPECT_FALSE(control_of(-0.021, 0.07).holds());
  EXPECT_TRUE(control_of(-0.09, 0.4).holds());
  EXPECT_FALSE(control_of(0.11, 0.4).holds());
  EXPECT_FALSE(control_of(std::nan(""), 0.4).holds());
}

TEST(BalancedOrders, EachHasEachPlaceOnceInAsManyRounds) {
  for (const std::size_t entrants : {1, 2, 3, 4, 5, 7}) {
    const auto orders = balanced_orders(entrants, 2 * entrants, 3);
    for (const std::size_t begin : {std::size_t{0}, entrants})
      for (std::size_t place = 0; place < entrants; ++place) {
        std::set<std::size_t> seen;
        for (std::size_t round = begin; round < begin + entrants; ++round) seen.insert(orders[round][place]);
        EXPECT_EQ(seen.size(), entrants);
      }
  }
}

// With four entrants, none comes behind the same one twice.
TEST(BalancedOrders, NeighboursDifferFromRoundToRound) {
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  for (const auto& order : balanced_orders(4, 4, 1))
    for (std::size_t place = 1; place < 4; ++place) pairs.emplace(order[place - 1], order[place]);
  EXPECT_EQ(pairs.size(), 12U);
}

TEST(BalancedOrders, FollowTheSeed) {
  EXPECT_EQ(balanced_orders(5, 5, 1), balanced_orders(5, 5, 1));
  EXPECT_NE(balanced_orders(5, 5, 1), balanced_orders(5, 5, 2));
}

}  // namespace
}  // namespace wattune::schedule
