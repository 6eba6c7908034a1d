#include "model/interface/clock_advisor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "model/curve_regression.h"

namespace wattune::inline v0_1::model {
namespace {

using testing::HasSubstr;

constexpr std::array kClocks = {500.0, 1000.0, 2000.0};

// Makes a kernel in which the core takes the share `core` of the time, so that it takes (2000 MHz / f)^core as long.
// Power is 40, 50 and 100 W. So energies are 0.4, 0.5 and 1 for core = 0, they are 1.6, 1 and 1 for core = 1, and 0.8,
// 0.707 and 1 for core = 0.5. The slowdown `hidden`, which no feature tells, is the same at both lower clocks.
KernelOverClocks kernel(std::string group, double core, double hidden = 0.0) {
  KernelOverClocks made{.group = std::move(group), .features = {core}, .runs = {}};
  constexpr std::array kWatts = {40.0, 50.0, 100.0};
  for (std::size_t i = 0; i < kClocks.size(); ++i) {
    const double slower = std::pow(2000.0 / kClocks[i], core) * (i < 2 ? std::exp(hidden) : 1.0);
    made.runs.push_back({Megahertz(kClocks[i]), Nanoseconds(1e6 * slower), Watts(kWatts[i])});
  }
  return made;
}

KernelOverClocks at_top_only(KernelOverClocks kernel) {
  kernel.runs.erase(kernel.runs.begin(), kernel.runs.end() - 1);
  return kernel;
}

// Learns from 40 kernels. Each share occurs with a hidden slowdown of -0.2, -0.1, 0.1 and 0.2, or without any.
ClockAdvisor learned(bool hidden = false) {
  std::vector<KernelOverClocks> known;
  for (int i = 0; i < 40; ++i) {
    constexpr std::array kHidden = {-0.2, -0.1, 0.1, 0.2};
    known.push_back(kernel(std::to_string(i), 0.1 * (i / 4), hidden ? kHidden[static_cast<std::size_t>(i % 4)] : 0.0));
  }
  return ClockAdvisor::learn(known).value();
}

Megahertz advised(const ClockAdvisor& advisor, double core, const ClockGoal& goal = {}) {
  return advisor.advise(at_top_only(kernel("", core)), goal)->at.clock;
}

TEST(ClockAdvisor, FollowsTheFeatures) {
  const ClockAdvisor advisor = learned();
  EXPECT_EQ(advised(advisor, 0.0), Megahertz(500));
  EXPECT_EQ(advised(advisor, 0.5), Megahertz(1000));
  EXPECT_EQ(advised(advisor, 1.2), Megahertz(2000));  // 0.5 * 2^1.2 = 1.15
}

// 2^0.05 = 1.035 and 4^0.05 = 1.072 are within 10 %; for 0.1 only 2^0.1 = 1.072 is, and for 0.5 neither.
TEST(ClockAdvisor, KeepsTheSlowdown) {
  const ClockAdvisor advisor = learned();
  EXPECT_EQ(advised(advisor, 0.05, {.slowdown = 0.10}), Megahertz(500));
  EXPECT_EQ(advised(advisor, 0.1), Megahertz(500));
  EXPECT_EQ(advised(advisor, 0.1, {.slowdown = 0.10}), Megahertz(1000));
  EXPECT_EQ(advised(advisor, 0.5, {.slowdown = 0.10}), Megahertz(2000));
  EXPECT_EQ(advised(advisor, 0.5, {.slowdown = 0.0}), Megahertz(2000));
}

// The kernel with core = 0.5 is 22 % slower at both clocks than similar ones, so a run at one clock tells about the
// other.
TEST(ClockAdvisor, LearnsOfOtherClocksFromARun) {
  const ClockAdvisor advisor = learned(true);
  const KernelOverClocks slower = kernel("", 0.5, 0.2);
  KernelOverClocks known = at_top_only(slower);
  const ClockEstimate before = advisor.estimate(known)->front();
  EXPECT_NEAR(before.energy.expected, 0.8, 0.03);
  EXPECT_GT(before.energy.high / before.energy.low, 1.5);  // deviations of 0.16: exp(4 * 0.16) = 1.9
  known.runs.push_back(slower.runs[1]);
  const ClockEstimate after = advisor.estimate(known)->front();
  EXPECT_FALSE(after.measured);
  EXPECT_NEAR(after.energy.expected, 0.8 * std::exp(0.2), 0.03);
  EXPECT_LT(after.energy.high / after.energy.low, 1.3);
  EXPECT_LT(after.energy.low, 0.8 * std::exp(0.2));
  EXPECT_GT(after.energy.high, 0.8 * std::exp(0.2));
}

TEST(ClockAdvisor, BelievesWhatWasMeasured) {
  const ClockAdvisor advisor = learned();
  KernelOverClocks known = at_top_only(kernel("", 0.5));
  known.runs.push_back({Megahertz(1000), Nanoseconds(1.2e6), Watts(70)});
  const ClockEstimate at = advisor.estimate(known)->at(1);
  EXPECT_TRUE(at.measured);
  EXPECT_NEAR(at.time.expected, 1.2, 1e-12);
  EXPECT_NEAR(at.energy.expected, 0.84, 1e-12);
  const auto advice = advisor.advise(known, {.slowdown = 0.15});
  EXPECT_EQ(advice->at.clock, Megahertz(2000));  // 1.2 is more than 15 %
  EXPECT_EQ(advice->chance, 1.0);
}

TEST(ClockAdvisor, NamesTheClockThatPromisesMost) {
  const ClockAdvisor advisor = learned(true);
  const KernelOverClocks whole = kernel("", 0.5);
  KernelOverClocks known = at_top_only(whole);
  const auto first = advisor.advise(known)->next;
  EXPECT_EQ(first->clock, Megahertz(1000));  // 0.707 is expected
  EXPECT_NEAR(first->gain, -std::log(0.707), 0.05);
  known.runs.push_back(whole.runs[1]);
  const auto second = advisor.advise(known)->next;
  EXPECT_EQ(second->clock, Megahertz(500));
  EXPECT_LT(second->gain, 0.02);  // 0.8 is expected, and it correlates with 0.707
  known.runs.push_back(whole.runs[0]);
  EXPECT_EQ(advisor.advise(known)->next, std::nullopt);
}

TEST(ClockAdvisor, IsLessSureOfKernelsUnlikeTheKnown) {
  const ClockAdvisor advisor = learned(true);
  const auto width = [&](double core) {
    const Likely<double> energy = advisor.estimate(at_top_only(kernel("", core)))->front().energy;
    return energy.high / energy.low;
  };
  EXPECT_GT(width(5.0), 1.2 * width(0.5));
}

// No kernel gets faster at a lower clock. If half of the time there were believed, it would make half of it likely at
// 500 MHz.
TEST(ClockAdvisor, TakesNoDisturbanceForTheKernels) {
  const ClockAdvisor advisor = learned(true);
  KernelOverClocks known = at_top_only(kernel("", 0.0));
  known.runs.push_back({Megahertz(1000), Nanoseconds(0.5e6), Watts(50)});
  const auto estimates = advisor.estimate(known).value();
  EXPECT_NEAR(estimates[0].time.expected, 1.0, 0.02);
  EXPECT_NEAR(estimates[1].time.expected, 0.5, 1e-12);
}

TEST(ClockAdvisor, DoesWithoutFeatures) {
  std::vector<KernelOverClocks> known = {kernel("a", 0.5), kernel("b", 0.5), kernel("c", 0.5)};
  for (KernelOverClocks& each : known) each.features.clear();
  KernelOverClocks other = at_top_only(kernel("", 0.5));
  other.features.clear();
  EXPECT_EQ(ClockAdvisor::learn(known)->advise(other)->at.clock, Megahertz(1000));
}

std::string refusal(const std::vector<KernelOverClocks>& known) {
  return ClockAdvisor::learn(known).error().to_string();
}

TEST(ClockAdvisor, RefusesToLearnFromWhatDoesNotGoTogether) {
  const std::vector<KernelOverClocks> three = {kernel("a", 0), kernel("b", 0.5), kernel("c", 1)};
  EXPECT_THAT(refusal({}), HasSubstr("advice needs kernels of 3 groups at all clocks: `0 groups`"));
  EXPECT_THAT(refusal({three[0], three[1], kernel("a", 1)}), HasSubstr("`2 groups`"));
  auto fewer = three;
  fewer[2].runs.pop_back();
  EXPECT_THAT(refusal(fewer), HasSubstr("were not run at the same clocks: `500, 1000 MHz`"));
  auto unlike = three;
  unlike[1].features.push_back(1.0);
  EXPECT_THAT(refusal(unlike), HasSubstr("the other kernels have 1 features: `2`"));
  auto powerless = three;
  powerless[1].runs[0].power = Watts(0);
  EXPECT_THAT(refusal(powerless), HasSubstr("no positive clock, time and power: `500 MHz"));
}

TEST(ClockAdvisor, RefusesAKernelOfWhichItKnowsTooLittle) {
  const ClockAdvisor advisor = learned();
  KernelOverClocks unknown = kernel("", 0.5);
  unknown.runs.pop_back();
  EXPECT_THAT(advisor.advise(unknown).error().to_string(), HasSubstr("not run at the highest clock: `2000 MHz`"));
  unknown = kernel("", 0.5);
  unknown.runs[0].clock = Megahertz(600);
  EXPECT_THAT(advisor.advise(unknown).error().to_string(),
              HasSubstr("no other kernel was run at this clock: `600 MHz`"));
  EXPECT_THAT(advisor.advise(kernel("", 0.5), {.slowdown = -0.1}).error().to_string(),
              HasSubstr("a slowdown is at least 0"));
}

// Two entries with variance 1 and covariance 0.5: seeing 1 in one makes the other 0.5, with variance 1 - 0.5^2.
TEST(GaussianGivenEntries, MovesWhatGoesWithThem) {
  Gaussian prior{Eigen::VectorXd::Zero(2), Eigen::MatrixXd::Identity(2, 2)};
  prior.covariance(0, 1) = prior.covariance(1, 0) = 0.5;
  const std::array seen = {SeenEntry{0, 1.0}};
  const Gaussian exact = given(prior, seen, 0.0);
  EXPECT_NEAR(exact.mean(1), 0.5, 1e-12);
  EXPECT_NEAR(exact.covariance(1, 1), 0.75, 1e-12);
  const Gaussian noisy = given(prior, seen, 1.0);  // as uncertain as the prior
  EXPECT_NEAR(noisy.mean(0), 0.5, 1e-12);
  EXPECT_NEAR(noisy.mean(1), 0.25, 1e-12);
}

// y = 2 x in 4 groups: the least penalty is the best one and shrinks the slope by 0.1 / (n + 0.1).
TEST(CurveRegression, FindsALineAndItsPenalty) {
  Eigen::MatrixXd x(8, 1), y(8, 1);
  std::vector<std::size_t> groups;
  for (Eigen::Index i = 0; i < 8; ++i) {
    x(i, 0) = static_cast<double>(i);
    y(i, 0) = 2.0 * x(i, 0);
    groups.push_back(static_cast<std::size_t>(i) / 2);
  }
  const CurveRegression line(x, y, groups);
  const double slope = line.at(Eigen::VectorXd::Constant(1, 7.0)).mean(0) - line.at(Eigen::VectorXd::Zero(1)).mean(0);
  EXPECT_NEAR(slope, 14.0 * 8.0 / 8.1, 1e-9);
}

}  // namespace
}  // namespace wattune::model
