#include "dynamic/tuning/trusted_explorer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "wattune/measure/policy.h"

namespace wattune::inline v0_1::dynamic {
namespace {

using testing::IsEmpty;

// A space of 1,000 configurations of two parameters, whose times follow a formula.
struct TrustedExplorerTest : testing::Test {
  static std::shared_ptr<const Problem> make_problem() {
    KernelSpec spec;
    for (const char* const name : {"x", "y"}) {
      spec.parameters.push_back({.name = name, .values = {}});
      for (int i = 0; i < (name[0] == 'x' ? 100 : 10); ++i) spec.parameters.back().values.emplace_back(i);
    }
    spec.geometry.sizes[0] = {"1"};
    return Problem::make(spec, {}, {{"n", 1024}}).value();
  }
  static Nanoseconds time_of(const Configuration& configuration) {
    const double x = configuration.find("x")->as_real() - 70.0;
    return Nanoseconds(1000.0 + x * x + configuration.find("y")->as_real());
  }
  static Observation measured(const Configuration& configuration) {
    Observation observation{.samples = {{.time = time_of(configuration)}}};
    observation.statistics = measure::summarize(observation.samples);
    return observation;
  }
  static Configuration named(int x, int y) {
    const auto names = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"x", "y"});
    return {0, names, {Value(x), Value(y)}};
  }
  std::unique_ptr<Explorer> make(const TuningPolicy& policy, std::size_t ahead = 1,
                                 std::vector<Configuration> known = {}) {
    return make_trusted_explorer(problem, policy,
                                 {.ahead = ahead, .known = std::move(known), .now = [this] { return now; }})
        .value();
  }
  // Tells the results of the wanted configurations, one after another. Returns the order in which they were tried.
  static std::vector<Configuration> drive(Explorer& explorer) {
    std::vector<Configuration> tried;
    while (!explorer.over()) {
      tried.push_back(explorer.wanted().front().configuration);
      explorer.tell(tried.back(), measured(tried.back()));
    }
    return tried;
  }

  Nanoseconds now;
  const std::shared_ptr<const Problem> problem = make_problem();
};

TEST_F(TrustedExplorerTest, WhatDoesNotPayYetWaitsForFurtherCalls) {
  const auto explorer = make({.strategy = "random"});
  explorer->note_calls(nanoseconds_from_ms(1));
  for (int i = 0; i < 200 && !explorer->wanted().empty(); ++i) {
    const Configuration next = explorer->wanted().front().configuration;
    explorer->tell(next, measured(next));
  }
  EXPECT_THAT(explorer->wanted(), IsEmpty());
  EXPECT_FALSE(explorer->over());
  explorer->note_calls(nanoseconds_from_seconds(1000));
  EXPECT_FALSE(explorer->wanted().empty());
}

// If calls pay for trials, neighbours of the best cost least and are most likely to be better.
TEST_F(TrustedExplorerTest, WhatDiffersFromTheBestInOneParameterComesNext) {
  const auto explorer = make({.safety = Safety::trusted, .stop = {.evaluations = 30}}, 1, {named(60, 3)});
  const std::vector<Configuration> tried = drive(*explorer);
  ASSERT_EQ(tried.size(), 30u);
  for (std::size_t i = 2; i < tried.size(); ++i) {
    const Configuration best = *std::min_element(tried.begin(), tried.begin() + static_cast<std::ptrdiff_t>(i),
                                                 [](const auto& a, const auto& b) { return time_of(a) < time_of(b); });
    const bool same_x = best.find("x")->as_real() == tried[i].find("x")->as_real();
    const bool same_y = best.find("y")->as_real() == tried[i].find("y")->as_real();
    EXPECT_NE(same_x, same_y) << tried[i].to_string();
  }
}

// This holds for a space that is searched completely as well.
TEST_F(TrustedExplorerTest, InASmallSpaceWhatIsNearComesFirstToo) {
  const auto names = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"x", "y"});
  const auto explorer = make({.safety = Safety::trusted, .stop = {.evaluations = 1000}}, 1, {named(70, 0)});
  const std::vector<Configuration> tried = drive(*explorer);
  EXPECT_EQ(tried.size(), 1000u);
  for (std::size_t i = 2; i < 50; ++i)
    EXPECT_TRUE(tried[i].find("x")->as_integer() == 70 || tried[i].find("y")->as_integer() == 0) << i;
}

TEST_F(TrustedExplorerTest, WithoutAnyOutcomeItWaitsBehindWhatIsKnown) {
  const auto explorer = make({.safety = Safety::trusted, .stop = {.evaluations = 30}}, 6, {named(60, 3)});
  EXPECT_EQ(explorer->wanted().size(), 2u) << "what is known, and the default";
  const Configuration first = explorer->wanted().front().configuration;
  explorer->tell(first, measured(first));
  EXPECT_EQ(explorer->wanted().size(), 6u);
}

TEST_F(TrustedExplorerTest, BeginsWithWhatIsKnownThenWithTheDefault) {
  const auto explorer = make({.stop = {.evaluations = 4}}, 1, {named(60, 3), named(20, 4)});
  const std::vector<Configuration> tried = drive(*explorer);
  ASSERT_EQ(tried.size(), 4);
  EXPECT_EQ(tried[0].to_string(), "x=60, y=3");
  EXPECT_EQ(tried[1].to_string(), "x=20, y=4");
  EXPECT_EQ(tried[2].to_string(), "x=0, y=0");
}

TEST_F(TrustedExplorerTest, LeavesOutWhatItsSpaceLacks) {
  const auto explorer = make({.stop = {.evaluations = 1}}, 1, {named(60, 77)});
  EXPECT_EQ(explorer->wanted().front().configuration.to_string(), "x=0, y=0");
}

TEST_F(TrustedExplorerTest, WantsAsManyAsCompileAtOnceAndNoneTwice) {
  const auto explorer = make({.strategy = "random", .stop = {.evaluations = 20}}, 4);
  std::set<std::string> tried;
  while (!explorer->over()) {
    const std::vector<Candidate> wanted = explorer->wanted();
    EXPECT_EQ(wanted.size(), std::min<std::size_t>(4, 20 - tried.size()));
    // The last one comes back first.
    EXPECT_TRUE(tried.insert(wanted.back().configuration.to_string()).second);
    explorer->tell(wanted.back().configuration, measured(wanted.back().configuration));
  }
  EXPECT_EQ(tried.size(), 20);
  EXPECT_EQ(explorer->explored(), 20);
  EXPECT_THAT(explorer->wanted(), IsEmpty());
  EXPECT_EQ(explorer->state(), "tuned: 20 evaluations done");
}

TEST_F(TrustedExplorerTest, PapersRowStopsAtAShareOfTheBandwidthOrTwentyConfigurations) {
  TuningPolicy policy{.strategy = "random", .stop = {.evaluations = 20}};
  policy.good_enough = [](const Key& key) -> std::optional<Nanoseconds> {
    EXPECT_EQ(to_string(key), "n=1024");
    return Nanoseconds(2000.0);  // |x - 70| below 32 or so: 6 in 10 configurations
  };
  const auto explorer = make(policy);
  const std::vector<Configuration> tried = drive(*explorer);
  EXPECT_LT(tried.size(), 20);
  EXPECT_LE(time_of(tried.back()), Nanoseconds(2000.0));
  for (std::size_t i = 0; i + 1 < tried.size(); ++i) EXPECT_GT(time_of(tried[i]), Nanoseconds(2000.0));
}

TEST_F(TrustedExplorerTest, WithTheLeastTimeNothingMoreIsTried) {
  const auto wanted_above = [this](double share) {
    const auto explorer = make({.stop = {.evaluations = 20}, .least_time = [this, share](const Key& key) {
                                  EXPECT_EQ(to_string(key), "n=1024");
                                  return std::optional(share * time_of(named(0, 0)));
                                }});
    explorer->note_calls(nanoseconds_from_seconds(1));
    const Configuration first = explorer->wanted().front().configuration;
    EXPECT_EQ(first.to_string(), "x=0, y=0");
    explorer->tell(first, measured(first));
    return explorer->wanted().size();
  };
  EXPECT_EQ(wanted_above(1.0), 0u);
  EXPECT_EQ(wanted_above(0.5), 1u);
}

TEST_F(TrustedExplorerTest, ASearchLearnsFromWhatItIsTold) {
  const auto explorer = make({.strategy = "auto", .stop = {.evaluations = 60}});
  const std::vector<Configuration> tried = drive(*explorer);
  const Configuration best = *std::ranges::min_element(tried, {}, time_of);
  EXPECT_LE(time_of(best), Nanoseconds(1025.0)) << "x within 4 of the best, of which 60 at random meet few";
}

TEST_F(TrustedExplorerTest, CountsFailures) {
  const auto explorer = make({.strategy = "random", .stop = {.evaluations = 3}});
  const Configuration first = explorer->wanted().front().configuration;
  explorer->tell(first, {.status = Status::compile, .message = "no"});
  EXPECT_EQ(explorer->explored(), 1);
  EXPECT_EQ(explorer->failed(), 1);
  EXPECT_EQ(explorer->state(), "trying, 1 of 3");
  explorer->tell(first, measured(first));
  EXPECT_EQ(explorer->explored(), 1) << "it was told already";
}

TEST_F(TrustedExplorerTest, RulesOfTimeGoByTheClockThatIsTold) {
  const auto explorer = make({.strategy = "random", .stop = {.time = nanoseconds_from_seconds(10)}});
  explorer->tell(explorer->wanted().front().configuration, measured(explorer->wanted().front().configuration));
  EXPECT_FALSE(explorer->over());
  now = nanoseconds_from_seconds(10);
  explorer->tell(explorer->wanted().front().configuration, measured(explorer->wanted().front().configuration));
  EXPECT_TRUE(explorer->over());
}

TEST_F(TrustedExplorerTest, EqualSeedsSearchAlike) {
  const TuningPolicy policy{.strategy = "random", .stop = {.evaluations = 10}, .seed = 5};
  EXPECT_EQ(drive(*make(policy)), drive(*make(policy)));
}

TEST_F(TrustedExplorerTest, RefusesWhatNoSearchCanBe) {
  const auto made = [&](const TuningPolicy& policy) {
    return make_trusted_explorer(problem, policy, {.now = [] { return Nanoseconds(); }});
  };
  EXPECT_EQ(made({.strategy = "rendom"}).error().code(), ErrorCode::not_found);
  EXPECT_EQ(made({.stop = {.fraction = 2.0}}).error().code(), ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace wattune::dynamic
