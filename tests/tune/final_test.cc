#include "tune/loop/final.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wattune::inline v0_1::tune {
namespace {

using ::testing::DoubleEq;
using ::testing::Field;
using ::testing::Optional;

constexpr ConfigurationId kDefault = 7;
constexpr std::size_t kLooks = 5;

struct Contestant {
  ConfigurationId id;
  std::vector<double> objectives;  // of each round; empty if it failed
};

std::vector<double> rounds_of(double objective) { return std::vector<double>(12, objective); }

Final final_of(const std::vector<Contestant>& contestants) {
  Final final;
  for (const Contestant& each : contestants) {
    Trial trial;
    trial.configuration = Configuration(each.id, std::make_shared<const std::vector<std::string>>(), {});
    if (each.objectives.empty()) trial.observation.status = Status::runtime;
    final.trials.push_back(std::move(trial));
    final.rounds.emplace_back();
    for (const double objective : each.objectives) final.rounds.back().push_back({{}, objective, {}});
  }
  return final;
}

auto is_times(double gain) { return Optional(Field(&PairedGain::median, DoubleEq(gain))); }

TEST(Final, TheDefaultLosesToWhatIsBetterInEachRound) {
  Final final = final_of({{1, rounds_of(10)}, {2, rounds_of(20)}, {kDefault, rounds_of(40)}});
  EXPECT_THAT(decide(final, 2, kDefault, kLooks), Optional(0u));
  EXPECT_EQ(final.trials[0].observation.final_place, FinalPlace::winner);
  EXPECT_EQ(final.trials[1].observation.final_place, FinalPlace::behind);
  EXPECT_EQ(final.trials[2].observation.final_place, FinalPlace::behind);
  EXPECT_THAT(final.trials[0].observation.over_default, is_times(4.0));
  EXPECT_THAT(final.trials[1].observation.over_default, is_times(2.0));
  EXPECT_FALSE(final.trials[2].observation.over_default);
}

// The search recommends 280 us over 272 us, by 0.98 times: a configuration that is no better in most rounds does not
// replace the default.
TEST(Final, TheDefaultWinsOverATie) {
  std::vector<double> uneven = rounds_of(270);
  for (const std::size_t round : {1, 4, 6, 9}) uneven[round] = 280;
  Final final = final_of({{1, uneven}, {kDefault, rounds_of(272)}});
  EXPECT_THAT(decide(final, 1, kDefault, kLooks), Optional(1u));
  EXPECT_EQ(final.trials[0].observation.final_place, FinalPlace::tied);
  EXPECT_EQ(final.trials[1].observation.final_place, FinalPlace::winner);
  EXPECT_THAT(final.trials[0].observation.over_default, is_times(272.0 / 270.0));
}

TEST(Final, TheDefaultWinsAsAFinalistToo) {
  Final final = final_of({{kDefault, rounds_of(5)}, {1, rounds_of(10)}});
  EXPECT_THAT(decide(final, 2, kDefault, kLooks), Optional(0u));
  EXPECT_EQ(final.trials[1].observation.final_place, FinalPlace::behind);
  EXPECT_THAT(final.trials[1].observation.over_default, is_times(0.5));
}

// Metrics to be maximised are negative: 30 against the default's 10, and 5.
TEST(Final, DecidesAboutWhatIsMaximisedAlike) {
  Final final = final_of({{1, rounds_of(-30)}, {2, rounds_of(-5)}, {kDefault, rounds_of(-10)}});
  EXPECT_THAT(decide(final, 2, kDefault, kLooks), Optional(0u));
  EXPECT_THAT(final.trials[0].observation.over_default, is_times(3.0));
  EXPECT_THAT(final.trials[1].observation.over_default, is_times(0.5));
  Final worse = final_of({{2, rounds_of(-5)}, {kDefault, rounds_of(-10)}});
  EXPECT_THAT(decide(worse, 1, kDefault, kLooks), Optional(1u));
}

TEST(Final, NeedsNoRatioToDecide) {
  Final final = final_of({{1, rounds_of(-1)}, {kDefault, rounds_of(1)}});
  EXPECT_THAT(decide(final, 1, kDefault, kLooks), Optional(0u));
  EXPECT_FALSE(final.trials[0].observation.over_default);
}

TEST(Final, IsDecidedWithoutADefaultThatFailed) {
  Final final = final_of({{1, rounds_of(10)}, {2, rounds_of(10)}, {kDefault, {}}});
  EXPECT_THAT(decide(final, 2, kDefault, kLooks), Optional(0u));
  EXPECT_EQ(final.trials[1].observation.final_place, FinalPlace::tied);
  EXPECT_EQ(final.trials[2].observation.final_place, FinalPlace::none);
  EXPECT_FALSE(final.trials[0].observation.over_default);
}

// Other configurations may be better than a default without competitors.
TEST(Final, IsNotDecidedWithoutACorrectFinalist) {
  Final final = final_of({{1, {}}, {kDefault, rounds_of(10)}});
  EXPECT_EQ(decide(final, 1, kDefault, kLooks), std::nullopt);
  EXPECT_EQ(final.trials[1].observation.final_place, FinalPlace::none);
}

}  // namespace
}  // namespace wattune::tune
