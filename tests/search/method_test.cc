#include "wattune/search/method.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace wattune::inline v0_1::search {
namespace {

using space::SearchSpace;
using testing::HasSubstr;

// The times of four kernels x at three clocks. Time grows as the clock falls; each kernel's energy has a least clock of
// its own.
constexpr double kTimeAt2000[] = {10, 11, 12, 13};
const std::map<int, std::vector<double>> kEnergy = {
    {2000, {9.0, 8.0, 7.5, 8.5}}, {1500, {6.0, 6.5, 7.0, 5.5}}, {1000, {7.0, 5.0, 7.2, 6.0}}};

Parameter clock_parameter(std::vector<Value> values) {
  return {.name = "nvml_gr_clock",
          .values = std::move(values),
          .default_value = {},
          .position = {},
          .role = ParameterRole::graphics_clock};
}

Parameter code_parameter(std::vector<Value> values) {
  return {.name = "x", .values = std::move(values), .default_value = {}, .position = {}};
}

SearchSpace small_space() {
  return SearchSpace::build({code_parameter({0, 1, 2, 3}), clock_parameter({1500, 2000, 1000})}, {}).value();
}

Observation took(double milliseconds, double joules) {
  Observation observation;
  observation.statistics = Statistics{.median = nanoseconds_from_ms(milliseconds)};
  observation.metrics = {{"energy", joules, "J"}};
  observation.objective_value = joules;
  return observation;
}

Observation of_small(const Configuration& configuration) {
  const auto x = static_cast<std::size_t>(configuration.find("x")->as_real());
  const double clock = configuration.find("nvml_gr_clock")->as_real();
  return took(kTimeAt2000[x] * 2000.0 / clock, kEnergy.at(static_cast<int>(clock))[x]);
}

struct Tuned {
  std::string chosen;
  std::set<ConfigurationId> evaluated;
};

// Asks until nothing is left; every id comes once.
template <typename Measure>
Tuned tune_fully(Strategy& method, Measure measure) {
  Tuned result;
  for (auto ids = method.ask(1); !ids.empty(); ids = method.ask(1)) {
    EXPECT_TRUE(result.evaluated.insert(ids.front()).second);
    method.tell(ids.front(), measure(method.space().configuration(ids.front())));
  }
  if (method.chosen()) result.chosen = method.space().configuration(*method.chosen()).to_string();
  return result;
}

struct Expected {
  const char* method;
  std::optional<Megahertz> base_clock;
  const char* chosen;
  std::size_t evaluations;
};

class Methods : public testing::TestWithParam<Expected> {};

// race-to-idle finds x=0 at 2000 MHz with 10 ms. At the highest clock x=2 takes the least of four, 7.5 J.
// race-to-idle+clocks measures x=0, then its two other clocks: 6 J at 1500. By base clock 1500 it is x=3 with 5.5 J,
// whose other clocks are worse; by 2000 it is x=2, best at 1500. The least of all twelve is x=1 at 1000, 5 J.
// Steered: x=0, the default, takes the least at 1500, and 10 % around that hold no other clock. There x=3 is the best
// of the three that the sweep has not met. At most 10 % slower than 10 ms are x=0 and x=1 at 2000 MHz, with 9 and 8 J.
TEST_P(Methods, TakesItsStepsAndNoOthers) {
  const SearchSpace space = small_space();
  const auto method = make_method(GetParam().method, space, {.base_clock = GetParam().base_clock}).value();
  const Tuned result = tune_fully(*method, of_small);
  EXPECT_EQ(result.chosen, GetParam().chosen);
  EXPECT_EQ(result.evaluated.size(), GetParam().evaluations);
}

INSTANTIATE_TEST_SUITE_P(
    Search, Methods,
    testing::Values(Expected{"race-to-idle", {}, "x=0, nvml_gr_clock=2000", 12},
                    Expected{"energy-to-solution-maxclock", {}, "x=2, nvml_gr_clock=2000", 4},
                    Expected{"race-to-idle+clocks", {}, "x=0, nvml_gr_clock=1500", 6},
                    Expected{"energy-to-solution+clocks", Megahertz(1500), "x=3, nvml_gr_clock=1500", 6},
                    Expected{"energy-to-solution+clocks", Megahertz(1990), "x=2, nvml_gr_clock=1500", 6},
                    Expected{"global", {}, "x=1, nvml_gr_clock=1000", 12},
                    Expected{"energy-under-slowdown", {}, "x=1, nvml_gr_clock=2000", 12},
                    Expected{"model-steered", {}, "x=3, nvml_gr_clock=1500", 6}));

// A run was killed: its measurements are told first, and only what is missing is measured.
TEST(Method, GoesOnWhereAnEarlierRunEnded) {
  const SearchSpace space = small_space();
  for (std::size_t before = 0; before < 6; ++before) {
    const auto first = make_method("race-to-idle+clocks", space).value();
    std::vector<ConfigurationId> measured;
    for (std::size_t i = 0; i < before; ++i) {
      measured.push_back(first->ask(1).front());
      first->tell(measured.back(), of_small(space.configuration(measured.back())));
    }
    const auto second = make_method("race-to-idle+clocks", space).value();
    for (const ConfigurationId id : measured) second->tell(id, of_small(space.configuration(id)));
    const Tuned result = tune_fully(*second, of_small);
    EXPECT_EQ(result.chosen, "x=0, nvml_gr_clock=1500");
    EXPECT_EQ(result.evaluated.size() + before, 6u);
  }
}

// A strategy's walk begins anew after 500 known answers; a method has an end of its own.
TEST(Method, ALongResumedRunIsNoReasonToBeginAnew) {
  std::vector<Value> codes;
  for (int x = 0; x < 700; ++x) codes.emplace_back(x);
  const SearchSpace space = SearchSpace::build({code_parameter(codes), clock_parameter({2000, 1000})}, {}).value();
  const auto measure = [](const Configuration& configuration) {
    const double x = configuration.find("x")->as_real();
    return took(1.0 + x, configuration.find("nvml_gr_clock")->as_real() + x);
  };
  const auto method = make_method("race-to-idle+clocks", space).value();
  for (auto id = space.next(0); id; id = space.next(*id + 1))
    if (*space.configuration(*id).find("nvml_gr_clock") == Value(2000))
      method->tell(*id, measure(space.configuration(*id)));
  const Tuned result = tune_fully(*method, measure);
  EXPECT_EQ(result.evaluated.size(), 1u);
  EXPECT_EQ(result.chosen, "x=0, nvml_gr_clock=1000");
}

// The two clocks of the chosen code take 2 of 200 evaluations, its own clock among them, and `auto` takes the others.
TEST(Method, ABudgetLeavesRoomForTheClocks) {
  std::vector<Value> codes;
  for (int x = 0; x < 500; ++x) codes.emplace_back(x);
  const SearchSpace space = SearchSpace::build({code_parameter(codes), clock_parameter({2000, 1000})}, {}).value();
  const auto measure = [](const Configuration& configuration) {
    const double x = configuration.find("x")->as_real();
    return took(1.0 + std::abs(x - 137.0), configuration.find("nvml_gr_clock")->as_real() + x);
  };
  const auto method = make_method("race-to-idle+clocks", space, {.evaluations = 200}).value();
  const Tuned result = tune_fully(*method, measure);
  EXPECT_EQ(result.evaluated.size(), 199u);
  EXPECT_THAT(result.chosen, HasSubstr("nvml_gr_clock=1000"));
}

// At most 25 % slower than 10 ms are x = 0, 1 and 2 at 2000 MHz, of which x = 2 takes the least. If nothing may be
// slower, it is x = 0.
TEST(Method, TheSlowdownBoundsWhatIsChosen) {
  const SearchSpace space = small_space();
  const auto loose = make_method("energy-under-slowdown", space, {.slowdown = 0.25}).value();
  EXPECT_EQ(tune_fully(*loose, of_small).chosen, "x=2, nvml_gr_clock=2000");
  const auto strict = make_method("energy-under-slowdown", space, {.slowdown = 0.0}).value();
  EXPECT_EQ(tune_fully(*strict, of_small).chosen, "x=0, nvml_gr_clock=2000");
  EXPECT_FALSE(make_method("energy-under-slowdown", space, {.slowdown = -0.1}));
}

// Half of the budget looks for the least time, the rest for the least energy near it.
TEST(Method, TheSlowdownSharesOutABudget) {
  const SearchSpace space = small_space();
  const auto method = make_method("energy-under-slowdown", space, {.evaluations = 8}).value();
  const Tuned result = tune_fully(*method, of_small);
  EXPECT_LE(result.evaluated.size(), 8u);
  EXPECT_THAT(result.chosen, HasSubstr("nvml_gr_clock=2000"));
}

// Returns a space of 500 codes, of which x = 137 is the fastest, at two clocks.
SearchSpace long_space() {
  std::vector<Value> codes;
  for (int x = 0; x < 500; ++x) codes.emplace_back(x);
  return SearchSpace::build({code_parameter(codes), clock_parameter({2000, 1000})}, {}).value();
}

Observation of_long(const Configuration& configuration) {
  const double x = configuration.find("x")->as_real();
  return took(1.0 + std::abs(x - 137.0), configuration.find("nvml_gr_clock")->as_real() + x);
}

// Runs a method for so many seconds, in which each evaluation takes one.
Tuned tune_for(Strategy& method, double seconds) {
  Tuned result;
  for (double elapsed = 0.0; elapsed < seconds; ++elapsed) {
    method.see({.elapsed = nanoseconds_from_seconds(elapsed)});
    const auto ids = method.ask(1);
    if (ids.empty()) break;
    result.evaluated.insert(ids.front());
    method.tell(ids.front(), of_long(method.space().configuration(ids.front())));
  }
  if (method.chosen()) result.chosen = method.space().configuration(*method.chosen()).to_string();
  return result;
}

// The two clocks of the chosen code are left 4 of 100 s. They need 1 s, since the code's own clock is known.
TEST(Method, ATimeLeavesRoomForTheClocks) {
  const SearchSpace space = long_space();
  const auto method = make_method("race-to-idle+clocks", space, {.time = nanoseconds_from_seconds(100)}).value();
  const Tuned result = tune_for(*method, 100);
  EXPECT_EQ(result.evaluated.size(), 97u);
  EXPECT_THAT(result.chosen, HasSubstr("nvml_gr_clock=1000"));
  EXPECT_EQ(method->remark(), "");
}

// Measurements of earlier runs took no time of this run.
TEST(Method, ATimeIsThatOfThisRun) {
  const SearchSpace space = long_space();
  const auto method = make_method("race-to-idle+clocks", space, {.time = nanoseconds_from_seconds(20)}).value();
  for (ConfigurationId id = 400; id < 440; ++id) method->tell(id, of_long(space.configuration(id)));
  EXPECT_EQ(tune_for(*method, 20).evaluated.size(), 17u);
}

// The first half looks for the least time, the second for the least energy near it, so that it is not cut off.
TEST(Method, TheSlowdownSharesOutATime) {
  const SearchSpace space = long_space();
  const auto method = make_method("energy-under-slowdown", space, {.time = nanoseconds_from_seconds(40)}).value();
  EXPECT_EQ(tune_for(*method, 21).evaluated.size(), 21u);
  EXPECT_THAT(method->remark(), HasSubstr("stopped in step 2 of 2"));
}

TEST(Method, FailuresAreNeverChosen) {
  const SearchSpace space = small_space();
  const auto method = make_method("race-to-idle+clocks", space).value();
  const Tuned result = tune_fully(*method, [](const Configuration& configuration) {
    return *configuration.find("x") == Value(0) ? Observation{.status = Status::runtime} : of_small(configuration);
  });
  EXPECT_EQ(result.chosen, "x=1, nvml_gr_clock=1000");
}

TEST(Method, WithoutEnergyNothingIsChosen) {
  const SearchSpace space = small_space();
  const auto method = make_method("global", space).value();
  const Tuned result = tune_fully(*method, [](const Configuration& configuration) {
    Observation observation = of_small(configuration);
    observation.metrics.clear();
    return observation;
  });
  EXPECT_EQ(result.chosen, "");
  EXPECT_THAT(method->remark(), HasSubstr("nothing with a time and an energy"));
}

// The three clocks of the default, x=0, give 9, 6 and 7 J; the window gets these points, the lowest clock first.
TEST(Method, TheWindowDecidesWhichClocksAreTuned) {
  const SearchSpace space = small_space();
  std::vector<ClockPoint> seen;
  const ClockWindow window = [&](const std::vector<ClockPoint>& sweep) -> Result<ClockRange> {
    seen = sweep;
    return ClockRange{Megahertz(900), Megahertz(1100)};
  };
  const auto method = make_method("model-steered", space, {.window = window}).value();
  const Tuned result = tune_fully(*method, of_small);
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[0].clock, Megahertz(1000));
  EXPECT_EQ(seen[0].energy, Joules(7));
  EXPECT_NEAR(seen[0].time.value(), 20e6, 1e-3);
  EXPECT_EQ(result.chosen, "x=1, nvml_gr_clock=1000");
}

TEST(Method, AWindowBetweenTheClocksTakesTheNearest) {
  const SearchSpace space = small_space();
  const auto narrow = [](const std::vector<ClockPoint>&) -> Result<ClockRange> {
    return ClockRange{Megahertz(1900), Megahertz(1950)};
  };
  const auto method = make_method("model-steered", space, {.window = narrow}).value();
  const Tuned result = tune_fully(*method, of_small);
  std::set<std::string> tuned;
  for (const ConfigurationId id : result.evaluated) tuned.insert(space.configuration(id).to_string());
  EXPECT_THAT(tuned, testing::Contains("x=2, nvml_gr_clock=2000"));
  EXPECT_THAT(tuned, testing::Not(testing::Contains("x=2, nvml_gr_clock=1500")));
  EXPECT_EQ(result.chosen, "x=0, nvml_gr_clock=1500");  // measured before, and better than all at 2000 MHz
}

// Only the clock varies, and a third of 30 clocks is measured: there is no other code to tune.
TEST(Method, OneCodeIsOverWithItsClocks) {
  std::vector<Value> clocks;
  for (int clock = 500; clock < 2000; clock += 50) clocks.emplace_back(clock);
  const SearchSpace space = SearchSpace::build({clock_parameter(clocks)}, {}).value();
  const auto method = make_method("model-steered", space).value();
  const Tuned result = tune_fully(*method, [](const Configuration& configuration) {
    const double clock = configuration.find("nvml_gr_clock")->as_real();
    return took(1e4 / clock, 5.0 + 1e-6 * (clock - 1170.0) * (clock - 1170.0));
  });
  EXPECT_EQ(result.evaluated.size(), 10u);
  EXPECT_EQ(result.chosen, "nvml_gr_clock=1150");
}

TEST(Method, AFailedFitLeavesAllClocks) {
  const SearchSpace space = small_space();
  const auto failing = [](const std::vector<ClockPoint>&) -> Result<ClockRange> {
    return Error(ErrorCode::invalid_argument, "no ridge");
  };
  const auto method = make_method("model-steered", space, {.window = failing}).value();
  EXPECT_EQ(tune_fully(*method, of_small).chosen, "x=1, nvml_gr_clock=1000");
  EXPECT_THAT(method->remark(), HasSubstr("all clocks are searched: no ridge"));
}

// Returns advice to measure these clocks in their order.
AdvisedClock in_order(std::vector<Megahertz> clocks) {
  return [clocks = std::move(clocks)](const std::vector<ClockPoint>& points) -> Result<std::optional<Megahertz>> {
    for (const Megahertz clock : clocks)
      if (std::ranges::count(points, clock, &ClockPoint::clock) == 0) return std::optional<Megahertz>(clock);
    return std::optional<Megahertz>();
  };
}

// The default, x=0, has its best at 1500 MHz, where x=3 takes the least. Then the clocks of x=3 are advised, of which
// one is measured already.
TEST(Method, AdviceLeadsToAClockAndToCodeThere) {
  const SearchSpace space = small_space();
  const auto method =
      make_method("advised", space, {.advised_clock = in_order({Megahertz(2000), Megahertz(1500)})}).value();
  const Tuned result = tune_fully(*method, of_small);
  EXPECT_EQ(result.chosen, "x=3, nvml_gr_clock=1500");
  EXPECT_EQ(result.evaluated.size(), 6u);
}

// The clock that is advised last takes more than the one before.
TEST(Method, BadAdviceCostsMeasurementsOnly) {
  const SearchSpace space = SearchSpace::build({clock_parameter({1000, 1500, 2000})}, {}).value();
  const auto of_clock = [](const Configuration& configuration) {
    const double clock = configuration.find("nvml_gr_clock")->as_real();
    return took(2e4 / clock, kEnergy.at(static_cast<int>(clock))[0]);
  };
  const AdvisedClock advice = in_order({Megahertz(2000), Megahertz(1500), Megahertz(1000)});
  const auto method = make_method("advised", space, {.advised_clock = advice}).value();
  const Tuned result = tune_fully(*method, of_clock);
  EXPECT_EQ(result.chosen, "nvml_gr_clock=1500");
  EXPECT_EQ(result.evaluated.size(), 3u);
}

TEST(Method, AdviceEndsWhereARunFails) {
  const SearchSpace space = small_space();
  const auto method = make_method("advised", space, {.advised_clock = in_order({Megahertz(2000)})}).value();
  const Tuned result = tune_fully(*method, [](const Configuration&) {
    Observation failed;
    failed.status = Status::runtime;
    return failed;
  });
  EXPECT_EQ(result.evaluated.size(), 1u);
  EXPECT_EQ(result.chosen, "");
}

TEST(Method, RefusesWhatItCannotDo) {
  const SearchSpace space = SearchSpace::build({code_parameter({0, 1})}, {}).value();
  EXPECT_THAT(make_method("race-to-idle+clocks", space).error().to_string(), HasSubstr("needs a graphics clock"));
  EXPECT_THAT(make_method("race-to-idl", space).error().to_string(), HasSubstr("did you mean"));
  EXPECT_TRUE(make_method("global", space));
  EXPECT_THAT(make_method("advised", small_space()).error().to_string(), HasSubstr("follows advice on clocks"));
}

// The window is ten percent of 1500 MHz to either side.
TEST(Method, TheStandardWindowLiesAroundTheLeastEnergy) {
  const auto range = window_around_least_energy({{Megahertz(1000), Nanoseconds(3), Joules(7)},
                                                 {Megahertz(1500), Nanoseconds(2), Joules(6)},
                                                 {Megahertz(2000), Nanoseconds(1), Joules(9)}});
  EXPECT_NEAR(range->low.value(), 1350, 1e-9);
  EXPECT_NEAR(range->high.value(), 1650, 1e-9);
  EXPECT_FALSE(window_around_least_energy({}));
}

// The first step takes four evaluations and the second two more: after three nothing is chosen yet, after five
// something.
TEST(Methods, SayWhatTheyDidNotReach) {
  const SearchSpace space = small_space();
  const auto method = make_method("race-to-idle+clocks", space).value();
  EXPECT_EQ(method->remark(), "");
  const auto run = [&](int evaluations) {
    for (int i = 0; i < evaluations; ++i) {
      const auto ids = method->ask(1);
      if (!ids.empty()) method->tell(ids.front(), of_small(space.configuration(ids.front())));
    }
  };
  run(3);
  EXPECT_THAT(method->remark(), HasSubstr("stopped in step 1 of 2 and has settled on nothing"));
  run(2);
  EXPECT_THAT(method->remark(), HasSubstr("stopped in step 2 of 2 and has settled on what the step before found"));
  run(9);
  EXPECT_EQ(method->remark(), "");
}

TEST(Methods, WalksNeedShapes) {
  const SearchSpace space = small_space();
  const auto refused = make_method("occupancy-walk", space);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().to_string(), HasSubstr("block_size_x"));
}

}  // namespace
}  // namespace wattune::search
