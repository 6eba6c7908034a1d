// The protocol on boards in virtual time with known energy. The file is long, since all tests share the boards and the
// loads that it defines.
#include "wattune/power/energy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "power/virtual_board.h"

namespace wattune::inline v0_1::power {
namespace {

using ::testing::HasSubstr;

// Launches of one shape on a virtual board.
class ProfileLoad : public Load {
 public:
  ProfileLoad(VirtualBoard& board, Profile launch, Profile set_up = {})
      : board_(board), launch_(std::move(launch)), set_up_(std::move(set_up)) {}

  Result<Batch> run(std::size_t launches) override {
    if (board_.now() >= fails) return Error(ErrorCode::device_lost, "the board fell off the bus");
    Profile both = set_up_;
    both.insert(both.end(), launch_.begin(), launch_.end());
    return run(both, launches);
  }
  SetUp set_up() const override { return set_up_.empty() ? SetUp::none : alone ? SetUp::subtracted : SetUp::included; }
  Result<Batch> run_set_up(std::size_t launches) override { return run(set_up_, launches); }

  Joules true_energy() const {
    Joules sum;
    for (const Stretch& each : launch_) sum += each.power * each.time;
    return sum;
  }

  Nanoseconds fails{std::numeric_limits<double>::infinity()};
  bool alone = true;
  Nanoseconds gap;  // after each batch, in which the host does something else
  int batches = 0;

 private:
  Result<Batch> run(const Profile& profile, std::size_t launches) {
    ++batches;
    const Nanoseconds begin = board_.now();
    board_.run(profile, launches);
    const Batch batch{launches, begin, board_.now()};
    board_.wait(gap);
    return batch;
  }

  VirtualBoard& board_;
  const Profile launch_;
  const Profile set_up_;
};

// Makes a board whose sensor sees 25 ms of each 100 ms, as on A100.
VirtualBoard a100(std::uint64_t seed = 1, bool counts_windows = false) {
  Random random(seed);
  VirtualSensor energy = counter(ms(100), random.uniform() * ms(100));
  energy.counts_windows = counts_windows;
  energy.info.traits.window = counts_windows ? ms(25) : Nanoseconds();
  VirtualSensor power = boxcar(ms(100), ms(25), {}, 0.003);
  power.phase = energy.phase;
  power.seed = random.bits();
  // Readings must not be in step with the publications, because both ends would err alike.
  energy.poll = ms(23 + 4 * random.uniform());
  energy.poll_phase = random.uniform() * energy.poll;
  power.poll_phase = random.uniform() * ms(25);
  return VirtualBoard({{energy}, {power}});
}

const Profile kFlat{{ms(3.5), Watts(200)}};
const Profile kTwoPhases{{ms(50), Watts(300)}, {ms(50), Watts(100)}};

double error_of(const EnergyFigures& figures, Joules truth) { return figures.energy.value / truth - 1.0; }

TEST(Energy, OfAFlatKernelIsKnownToHalfAPercentInAReportedWindow) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    VirtualBoard board = a100(seed);
    ProfileLoad load(board, kFlat);
    const EnergyFigures figures = measure(board, load, {.window = kReportedWindow}).value();
    const double error = error_of(figures, load.true_energy());
    EXPECT_LT(std::abs(error), 0.005) << seed;
    EXPECT_LE(std::abs(error), figures.energy.uncertainty / figures.energy.value) << seed;
    EXPECT_LT(figures.energy.uncertainty / figures.energy.value, 0.005);
    EXPECT_FALSE(figures.disagrees());
  }
}

// If launches are in step with the sensor, a counter of windows sees only one half, unless they begin at other phases.
TEST(Energy, OfAKernelThatAliasesIsKnownToThreePercent) {
  int within = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    VirtualBoard board = a100(seed, seed % 2 == 0);
    ProfileLoad load(board, kTwoPhases);
    const EnergyFigures figures =
        measure(board, load, {.window = kReportedWindow, .context_idle = {{Watts(50), Watts()}}}).value();
    EXPECT_TRUE(figures.phased);
    const double error = error_of(figures, load.true_energy());
    EXPECT_LT(std::abs(error), 0.03) << seed;
    EXPECT_LT(figures.energy.uncertainty / figures.energy.value, 0.06);
    if (std::abs(error) <= figures.energy.uncertainty / figures.energy.value) ++within;
  }
  EXPECT_GE(within, 95);
}

// Nine to eleven launches fill a period, and the sensor sees two and a half at once, always more of the same half.
TEST(Energy, OfShortLaunchesThatStayInStepIsKnownToThreePercent) {
  for (const double launches : {9.0, 10.0, 11.0})
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      VirtualBoard board = a100(seed, true);
      ProfileLoad load(board, {{ms(50 / launches), Watts(300)}, {ms(50 / launches), Watts(100)}});
      const EnergyFigures figures =
          measure(board, load, {.window = kFinalistWindow, .context_idle = {{Watts(50), Watts()}}}).value();
      EXPECT_TRUE(figures.phased);
      EXPECT_LT(std::abs(error_of(figures, load.true_energy())), 0.03) << launches << " " << seed;
      EXPECT_LE(std::abs(error_of(figures, load.true_energy())), figures.energy.uncertainty / figures.energy.value);
    }
}

// Each publication is up to 8 ms late, which readings every 2.5 ms do not show.
TEST(Energy, PublicationsThatComeLateWidenTheBound) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    VirtualSensor energy = counter(ms(10));
    energy.delay = ms(8);
    energy.seed = seed;
    VirtualBoard board({{energy}, {}});
    ProfileLoad load(board, kFlat);
    const EnergyFigures figures = measure(board, load).value();
    EXPECT_LE(std::abs(error_of(figures, load.true_energy())), figures.energy.uncertainty / figures.energy.value);
    EXPECT_GT(figures.energy.uncertainty / figures.energy.value, 0.006);  // 2.5 ms of a second, and a launch of 3.5 ms
  }
}

// 200.4 W are shown as 200 in every reading.
TEST(Energy, WholeWattsAreKnownToHalfAWatt) {
  VirtualSensor power = boxcar(ms(100), ms(100));
  power.quantum = 1.0;
  VirtualBoard board({{}, {power}});
  ProfileLoad load(board, {{ms(3.5), Watts(200.4)}});
  const EnergyFigures figures = measure(board, load, {.window = kReportedWindow}).value();
  EXPECT_NEAR(figures.power.value.value(), 200, 0.01);
  EXPECT_GE(figures.power.uncertainty.value(), 0.5);
  EXPECT_LT(figures.power.uncertainty.value(), 0.7);
}

TEST(Energy, PowerAndDynamicEnergyFollow) {
  VirtualBoard board = a100();
  ProfileLoad load(board, kFlat);
  const EnergyFigures figures =
      measure(board, load, {.window = kFinalistWindow, .context_idle = {{Watts(50), Watts()}}}).value();
  EXPECT_NEAR(figures.power.value.value(), 200, 1);
  EXPECT_NEAR(to_ms(figures.time), 3.5, 1e-9);
  // 150 W beyond idling, for 3.5 ms.
  EXPECT_NEAR(figures.dynamic->value.value(), 0.525, 0.004);
  EXPECT_EQ(figures.sensor, "virtual.energy");
  EXPECT_EQ(figures.set_up, SetUp::none);
}

// The set-up takes 2 ms at 80 W before each launch; the time excludes it.
TEST(Energy, LeavesOutTheSetUp) {
  VirtualBoard board = a100();
  ProfileLoad load(board, kFlat, {{ms(2), Watts(80)}});
  const EnergyFigures figures = measure(board, load, {.window = kFinalistWindow}).value();
  EXPECT_EQ(figures.set_up, SetUp::subtracted);
  EXPECT_LT(std::abs(error_of(figures, load.true_energy())), figures.energy.uncertainty / figures.energy.value);
  EXPECT_NEAR(figures.energy.value.value(), 0.7, 0.01);
  EXPECT_NEAR(figures.power.value.value(), 200, 3);
  EXPECT_NEAR(figures.set_up_cost->energy.value.value(), 0.16, 0.002);
}

TEST(Energy, ASetUpThatIsKnownIsNotMeasuredAgain) {
  VirtualBoard board = a100();
  ProfileLoad load(board, kFlat, {{ms(2), Watts(80)}});
  const EnergyFigures first = measure(board, load, {.window = kFinalistWindow}).value();
  const Nanoseconds before = board.now();
  const EnergyFigures second = measure(board, load, {.window = kFinalistWindow, .set_up = first.set_up_cost}).value();
  EXPECT_LT(board.now() - before, nanoseconds_from_seconds(8));  // two of them until the temperature is steady
  EXPECT_NEAR(second.energy.value.value(), 0.7, 0.01);
}

TEST(Energy, SaysThatASetUpWhichCannotRunAloneIsIncluded) {
  VirtualBoard board = a100();
  ProfileLoad load(board, kFlat, {{ms(2), Watts(80)}});
  load.alone = false;
  const EnergyFigures figures = measure(board, load, {.window = kFinalistWindow}).value();
  EXPECT_EQ(figures.set_up, SetUp::included);
  EXPECT_NEAR(figures.energy.value.value(), 0.86, 0.01);
}

// A millisecond at 50 W follows each of sixteen batches. If the power is not known, it is in the bound.
TEST(Energy, GapsBetweenBatchesAreLeftOut) {
  for (const bool known : {true, false}) {
    std::optional<Measured<Watts>> idle;
    if (known) idle = {Watts(50), Watts()};
    VirtualBoard board = a100();
    ProfileLoad load(board, kFlat);
    load.gap = ms(1);
    const EnergyFigures figures = measure(board, load, {.window = kFinalistWindow, .context_idle = idle}).value();
    EXPECT_LT(std::abs(error_of(figures, load.true_energy())), figures.energy.uncertainty / figures.energy.value);
    EXPECT_NEAR(figures.energy.uncertainty / figures.energy.value, known ? 0.005 : 0.0085, 0.003);
  }
}

bool is_within(double truth, double value, double uncertainty) { return std::abs(value - truth) <= uncertainty; }

// 303 mJ in 1.05 ms, of which 1 ms was timed. Either a launch takes 300 mJ at 300 W, and 3 mJ pass between two at the
// 60 W of the context. Or it takes all of it at 288.6 W. The ends of the window are known to 0.5 %.
TEST(Energy, WhatPassesBeyondTheTimeOfALaunchIsAGapOrASlowerLaunch) {
  VirtualBoard board = a100();
  ProfileLoad load(board, {{ms(1), Watts(300)}, {ms(0.05), Watts(60)}});
  EnergyOptions options{.window = kFinalistWindow, .context_idle = {{Watts(60), Watts()}}, .launch_time = ms(1)};
  const EnergyFigures figures = measure(board, load, options).value();
  EXPECT_NEAR(figures.energy.value.value(), 0.3015, 0.0012);
  EXPECT_NEAR(figures.power.value.value(), (300 + 288.6) / 2, 1.2);
  for (const double truth : {0.300, 0.303})
    EXPECT_TRUE(is_within(truth, figures.energy.value.value(), figures.energy.uncertainty.value())) << truth;
  for (const double truth : {300.0, 0.303 / 1.05e-3})
    EXPECT_TRUE(is_within(truth, figures.power.value.value(), figures.power.uncertainty.value())) << truth;
  EXPECT_NEAR(figures.gap->energy.value.value(), 0.0015, 1e-6);
  EXPECT_NEAR(to_ms(figures.gap->time), 0.05, 1e-6);
  EXPECT_NEAR(to_ms(figures.time), 1.025, 1e-6);
  EXPECT_LT(figures.power.uncertainty.value(), 10);  // half of 11.4 W, and 0.5 % of 300
  options.launch_time.reset();
  EXPECT_NEAR(measure(board, load, options).value().energy.value.value(), 0.303, 0.0012);
}

// Beyond 60 W a launch takes 240 mJ in both cases.
TEST(Energy, BeyondIdlingAGapAndASlowerLaunchAreAlike) {
  VirtualBoard board = a100();
  ProfileLoad load(board, {{ms(1), Watts(300)}, {ms(0.05), Watts(60)}});
  EnergyOptions options{.window = kFinalistWindow, .context_idle = {{Watts(60), Watts(1)}}, .launch_time = ms(1)};
  const Measured<Joules> dynamic = *measure(board, load, options).value().dynamic;
  EXPECT_NEAR(dynamic.value.value(), 0.240, 0.0012);
  EXPECT_LT(dynamic.uncertainty.value(), 0.004);  // 1 W for 1.05 ms, and 0.5 % of 303 mJ at the ends, with some more
}

// The idle power is uncertain by 2 W for 3.5 ms, which is 7 mJ of 0.525 J. This error and that of the energy are
// independent, so their joint bound is less than the sum.
TEST(Energy, WhatIsNotKnownOfTheIdlePowerIsInTheBoundOfTheDynamicEnergy) {
  VirtualBoard board = a100();
  ProfileLoad load(board, kFlat);
  const EnergyFigures figures =
      measure(board, load, {.window = kFinalistWindow, .context_idle = {{Watts(52), Watts(2)}}}).value();
  const double energy = figures.energy.uncertainty.value();
  const double joint = std::sqrt(energy * energy + 0.007 * 0.007 + energy * 0.007);
  EXPECT_NEAR(figures.dynamic->uncertainty.value(), joint, 1e-4);
  EXPECT_TRUE(is_within(0.525, figures.dynamic->value.value(), figures.dynamic->uncertainty.value()));
}

// Without a known idle power, a gap may take anything up to the launches' power: half of 288.6 W for 50 us, as much
// either way.
TEST(Energy, AGapWhosePowerIsUnknownWidensTheBound) {
  VirtualBoard board = a100();
  ProfileLoad load(board, {{ms(1), Watts(300)}, {ms(0.05), Watts(60)}});
  const EnergyFigures figures = measure(board, load, {.window = kFinalistWindow, .launch_time = ms(1)}).value();
  EXPECT_NEAR(figures.gap->energy.value.value(), 0.00721 / 2, 0.0001);
  EXPECT_LE(std::abs(figures.energy.value.value() - 0.300), figures.energy.uncertainty.value());
}

// If power or heat hold the clock down, a launch takes longer than when it was timed, and there is no gap.
TEST(Energy, ALaunchThatIsHeldDownHasNoGap) {
  VirtualBoard board = a100();
  board.conditions = [](Nanoseconds) { return backend::Conditions{Megahertz(1200), true}; };
  ProfileLoad load(board, kFlat);
  const EnergyFigures figures = measure(board, load, {.launch_time = ms(3.2)}).value();
  EXPECT_FALSE(figures.gap);
  EXPECT_NEAR(figures.energy.value.value(), 0.7, 0.015);
}

// The timed launch is not subtracted twice: 2 ms of restoring, 3.5 ms of the launch.
TEST(Energy, ASetUpIsNoGap) {
  VirtualBoard board = a100();
  ProfileLoad load(board, kFlat, {{ms(2), Watts(80)}});
  const EnergyFigures figures = measure(board, load, {.window = kFinalistWindow, .launch_time = ms(3.5)}).value();
  EXPECT_LT(to_ms(figures.gap.value_or(Cost()).time), 1e-6);
  load.alone = false;
  EXPECT_FALSE(measure(board, load, {.window = kFinalistWindow, .launch_time = ms(3.5)}).value().gap);
}

TEST(Energy, WarmsUpForAsLongAsTheSensorLooksBack) {
  VirtualBoard board({{}, {boxcar(ms(100), ms(1000))}});
  ProfileLoad load(board, kFlat);
  const Nanoseconds begin = board.now();
  const EnergyFigures figures = measure(board, load, {.window = kScreeningWindow}).value();
  EXPECT_LT(std::abs(error_of(figures, load.true_energy())), 0.001);
  EXPECT_EQ(figures.sensor, "virtual.power");
  // 1.2 s of warming up, 1 s, two periods, and half the window that the last reading looks back.
  EXPECT_NEAR(to_seconds(board.now() - begin), 1.2 + 1.0 + 0.2 + 0.5, 0.1);
}

TEST(Energy, OfASensorThatLagsBehindIsCorrected) {
  VirtualBoard board({{}, {lagging(ms(15), ms(833))}});
  ProfileLoad load(board, kFlat);
  const EnergyFigures figures = measure(board, load, {.window = kFinalistWindow}).value();
  EXPECT_LT(std::abs(error_of(figures, load.true_energy())), figures.energy.uncertainty / figures.energy.value);
  EXPECT_LT(std::abs(error_of(figures, load.true_energy())), 0.01);
}

// The ends are known to 2.5 ms each by readings, and to a launch of 3.5 ms: 0.085 % of 10 s. Five hundred publications
// show that the ends err less.
TEST(Energy, ManyPublicationsTellHowFarTheEndsAreOff) {
  int inside = 0, narrow = 0;
  constexpr int kSeeds = 40;
  for (int seed = 0; seed < kSeeds; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    VirtualSensor energy = counter(ms(20), random.uniform() * ms(20));
    energy.info.traits.window = ms(20);
    energy.poll = ms(4.75 + 0.5 * random.uniform());
    energy.poll_phase = random.uniform() * energy.poll;
    VirtualBoard board({{energy}, {}});
    ProfileLoad load(board, kFlat);
    const EnergyFigures figures = measure(board, load, {.window = kReportedWindow}).value();
    const double bound = figures.energy.uncertainty / figures.energy.value;
    inside += std::abs(error_of(figures, load.true_energy())) <= bound ? 1 : 0;
    narrow += bound < 0.0007 ? 1 : 0;
  }
  EXPECT_GE(inside, kSeeds * 94 / 100);
  EXPECT_GE(narrow, kSeeds / 2);
}

TEST(Energy, CounterAndPowerThatDisagreeAreReported) {
  VirtualBoard board = a100();
  board.sensors().energy[0].gain = 0.6;
  ProfileLoad load(board, kFlat);
  const EnergyFigures figures = measure(board, load, {.window = kFinalistWindow}).value();
  EXPECT_TRUE(figures.disagrees());
  EXPECT_NEAR(*figures.disagreement, 1.0 / 0.6 - 1.0, 0.02);
}

// Windows take 1.5 s each. Readings have noise of 0.5 %, so two medians never agree to a billionth.
TEST(Energy, RepeatsUntilWindowsAgreeOrTheBudgetIsSpent) {
  VirtualBoard board({{}, {boxcar(ms(100), ms(25), {}, 0.005)}});
  ProfileLoad load(board, kFlat);
  EXPECT_EQ(measure(board, load, {.windows = 9, .precision = 0.02}).value().windows, 3u);
  const EnergyFigures some =
      measure(board, load, {.budget = nanoseconds_from_seconds(8), .windows = 99, .precision = 1e-9}).value();
  EXPECT_EQ(some.windows, 5u);
  EXPECT_GT(some.spread.value(), 0.0);
  EXPECT_GE(some.energy.uncertainty / some.energy.value, *some.spread);
}

// A launch takes 0.7 J and 0.5 are of interest. Three publications show that to a tenth, after 0.3 s of warming up.
TEST(Energy, AWindowEndsAsSoonAsALaunchTakesMoreThanIsOfInterest) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    VirtualBoard board = a100(seed);
    ProfileLoad load(board, kFlat);
    const EnergyFigures figures = measure(board, load, {.most_energy = Joules(0.5)}).value();
    ASSERT_TRUE(figures.ended_after) << seed;
    EXPECT_LT(*figures.ended_after, ms(550)) << seed;
    EXPECT_LT(figures.took, ms(900)) << seed;
    EXPECT_LE(std::abs(error_of(figures, load.true_energy())), figures.energy.uncertainty / figures.energy.value)
        << seed;
  }
}

// A window of a second is known to 2.5 %.
TEST(Energy, WhatMayBeOfInterestHasAWholeWindow) {
  for (const double most : {0.69, 0.7, 0.9}) {
    VirtualBoard board = a100();
    ProfileLoad load(board, kFlat);
    EXPECT_FALSE(measure(board, load, {.most_energy = Joules(most)}).value().ended_after) << most;
  }
}

// A launch takes 0.86 J, of which 0.16 are the set-up's.
TEST(Energy, ASetUpIsSubtractedBeforeAWindowEndsEarly) {
  VirtualBoard board = a100();
  ProfileLoad load(board, kFlat, {{ms(2), Watts(80)}});
  EnergyOptions options{.window = kFinalistWindow, .most_energy = Joules(0.5)};
  const EnergyFigures unknown = measure(board, load, options).value();
  EXPECT_FALSE(unknown.ended_after);
  options.set_up = unknown.set_up_cost;
  EXPECT_TRUE(measure(board, load, options).value().ended_after);
  options.most_energy = Joules(0.75);
  EXPECT_FALSE(measure(board, load, options).value().ended_after);
}

// The half of a launch that a sensor in step with it sees is not the launch.
TEST(Energy, LaunchesAtPhasesRunThroughAllOfThem) {
  VirtualBoard board = a100();
  ProfileLoad load(board, kTwoPhases);
  const EnergyFigures figures = measure(board, load, {.most_energy = Joules(1)}).value();
  EXPECT_TRUE(figures.phased);
  EXPECT_FALSE(figures.ended_after);
}

TEST(Energy, TellsWhatTheBoardWasLike) {
  VirtualBoard board = a100();
  board.conditions = [](Nanoseconds) { return backend::Conditions{Megahertz(1410), true}; };
  ProfileLoad load(board, kFlat);
  const BoardConditions conditions = measure(board, load).value().conditions;
  EXPECT_EQ(conditions.clock, Megahertz(1410));
  EXPECT_EQ(conditions.lowest_clock, Megahertz(1410));
  EXPECT_EQ(conditions.throttled, 1.0);
  EXPECT_TRUE(conditions.throttled_before);
  EXPECT_EQ(conditions.temperature_before, Celsius(45));
  EXPECT_EQ(conditions.lowest_temperature, Celsius(45));
}

// The clock is off by two steps until 1.5 s after the beginning, when the first window ends.
TEST(Energy, AWindowAtAnotherClockThanWasAskedForIsMeasuredAgain) {
  VirtualBoard board = a100();
  board.conditions = [](Nanoseconds at) { return backend::Conditions{Megahertz(at < ms(3500) ? 1380 : 1410), false}; };
  ProfileLoad load(board, kFlat);
  const EnergyFigures figures = measure(board, load, {.clock = Megahertz(1410)}).value();
  EXPECT_EQ(figures.rejected.clock, 1u);
  EXPECT_FALSE(figures.rejected.used);
  EXPECT_EQ(figures.conditions.clock, Megahertz(1410));
  EXPECT_EQ(figures.windows, 1u);
}

TEST(Energy, AClockWithinAStepOrThatIsHeldDownIsKept) {
  for (const backend::Conditions conditions : {backend::Conditions{Megahertz(1395), false}, {Megahertz(1200), true}}) {
    VirtualBoard board = a100();
    board.conditions = [=](Nanoseconds) { return conditions; };
    ProfileLoad load(board, kFlat);
    EXPECT_EQ(measure(board, load, {.clock = Megahertz(1410)}).value().rejected.count(), 0u);
  }
}

// It tries at most four windows, and the last one counts.
TEST(Energy, AClockThatStaysOffEndsAndIsSaid) {
  VirtualBoard board = a100();
  ProfileLoad load(board, kFlat);
  const EnergyFigures figures = measure(board, load, {.windows = 5, .clock = Megahertz(1200)}).value();
  EXPECT_EQ(figures.rejected.clock, 4u);
  EXPECT_TRUE(figures.rejected.used);
  EXPECT_EQ(figures.windows, 1u);
}

// A window takes 1.5 s, so a second one does not fit.
TEST(Energy, AWindowIsNotMeasuredAgainBeyondTheBudget) {
  VirtualBoard board = a100();
  ProfileLoad load(board, kFlat);
  const EnergyOptions options{.budget = nanoseconds_from_seconds(2.5), .clock = Megahertz(1200)};
  const EnergyFigures figures = measure(board, load, options).value();
  EXPECT_EQ(figures.rejected.count(), 1u);
  EXPECT_TRUE(figures.rejected.used);
}

// Throttling begins in the first window, after 1 s; in the second window it is there from the beginning.
TEST(Energy, AWindowInWhichThrottlingBeginsIsMeasuredAgain) {
  VirtualBoard board = a100();
  board.conditions = [](Nanoseconds at) { return backend::Conditions{Megahertz(1410), at > ms(3000)}; };
  ProfileLoad load(board, kFlat);
  const EnergyFigures figures = measure(board, load).value();
  EXPECT_EQ(figures.rejected.throttled, 1u);
  EXPECT_TRUE(figures.conditions.throttled_before);
  EXPECT_EQ(figures.conditions.throttled, 1.0);
}

// The temperature rises by 3 degrees a second for 2.5 s; 2 s later it is known to be steady. Then come 10 s and two
// periods.
TEST(Energy, WaitsUntilTheTemperatureStandsForHalfAWindowAtMost) {
  VirtualBoard board = a100();
  const Nanoseconds begin = board.now();
  const Nanoseconds warm = begin + nanoseconds_from_seconds(2.5);
  board.temperature = [=](Nanoseconds at) {
    return Celsius(40 + std::floor(3 * to_seconds(std::min(at, warm) - begin)));
  };
  ProfileLoad load(board, kFlat);
  const EnergyFigures figures = measure(board, load, {.window = kReportedWindow}).value();
  EXPECT_EQ(figures.conditions.lowest_temperature, Celsius(47));
  EXPECT_EQ(figures.conditions.highest_temperature, Celsius(47));
  EXPECT_NEAR(to_seconds(board.now() - begin), 2.5 + 2.0 + 10.2, 0.7);
  EXPECT_EQ(figures.rejected.count(), 0u);
}

// The temperature rises by a degree a second for ever; a window of 5 s sees five degrees.
TEST(Energy, AWindowInWhichTheBoardWarmsUpIsMeasuredAgainAsOftenAsThereIsTime) {
  VirtualBoard board = a100();
  const Nanoseconds begin = board.now();
  board.temperature = [=](Nanoseconds at) { return Celsius(40 + std::floor(to_seconds(at - begin))); };
  ProfileLoad load(board, kFlat);
  const EnergyFigures figures = measure(board, load, {.window = kFinalistWindow}).value();
  EXPECT_EQ(figures.rejected.temperature, 4u);
  EXPECT_TRUE(figures.rejected.used);
  EXPECT_NEAR((*figures.conditions.highest_temperature - *figures.conditions.lowest_temperature).value(), 5, 1);
}

// Launches of 3.5 ms whose power rises by 2 W a second from 200 W on.
class WarmingLoad : public Load {
 public:
  explicit WarmingLoad(VirtualBoard& board) : board_(board), first_(board.now()) {}
  Result<Batch> run(std::size_t launches) override {
    const Nanoseconds begin = board_.now();
    for (std::size_t i = 0; i < launches; ++i)
      board_.run({{ms(3.5), Watts(200.0 + 2.0 * to_seconds(board_.now() - first_))}}, 1);
    return Batch{launches, begin, board_.now()};
  }

 private:
  VirtualBoard& board_;
  const Nanoseconds first_;
};

// The window takes 5 s: at its end a launch draws 5 W more than in its mean, which is some 2.4 %.
TEST(Energy, AWindowInWhichTheBoardWarmsUpSaysWhatThatIsWorth) {
  VirtualBoard board = a100();
  const Nanoseconds begin = board.now();
  board.temperature = [=](Nanoseconds at) { return Celsius(40 + std::floor(to_seconds(at - begin) / 2.0)); };
  WarmingLoad load(board);
  const EnergyFigures figures = measure(board, load, {.window = kFinalistWindow}).value();
  ASSERT_TRUE(figures.drift);
  EXPECT_NEAR(*figures.drift, 0.024, 0.012);
  ProfileLoad steady(board, kFlat);
  board.temperature = [](Nanoseconds) { return Celsius(45); };
  EXPECT_FALSE(measure(board, steady, {.window = kFinalistWindow}).value().drift);
}

// One of the windows begins at 51 degrees; the others have 46 throughout.
TEST(Energy, WindowsOfDifferentTemperaturesAreNotTakenTogether) {
  VirtualBoard board = a100();
  board.temperature = [](Nanoseconds at) { return Celsius(at > ms(3600) && at < ms(5000) ? 51 : 46); };
  ProfileLoad load(board, kFlat);
  const EnergyFigures figures = measure(board, load, {.windows = 3, .precision = 0.0}).value();
  EXPECT_EQ(figures.windows, 3u);
  EXPECT_GE(figures.rejected.temperature, 1u);
  EXPECT_EQ(figures.conditions.highest_temperature, Celsius(46));
}

// Screening has no time to wait.
TEST(Energy, ScreeningWaitsForNoTemperature) {
  VirtualBoard board = a100();
  const Nanoseconds begin = board.now();
  ProfileLoad load(board, kFlat);
  ASSERT_TRUE(measure(board, load));
  EXPECT_NEAR(to_seconds(board.now() - begin), 1.5, 0.1);
}

TEST(Energy, AWindowLongerThanItsBudgetIsRefused) {
  VirtualBoard board = a100();
  ProfileLoad load(board, kFlat);
  const Error error = measure(board, load, {.window = kReportedWindow, .budget = kFinalistWindow}).error();
  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(error.to_string(), HasSubstr("takes 10.3 s is longer than its budget of 5.0 s"));
  EXPECT_EQ(load.batches, 0);
}

// Sixteen launches take 1.5 s each.
TEST(Energy, PhasesThatDoNotFitTheBudgetAreRefused) {
  VirtualBoard board = a100();
  ProfileLoad load(board, {{ms(1500), Watts(200)}});
  const Error error = measure(board, load, {.budget = kReportedWindow}).error();
  EXPECT_THAT(error.to_string(), HasSubstr("longer than its budget of 10.0 s"));
}

// A process that gets no processor time reads nothing for a while, wherever that lies in the window.
TEST(Energy, AWindowRunsOnWhileItsCounterWasNotRead) {
  for (double asleep = 2000; asleep < 2700; asleep += 20) {
    for (const Profile& launch : {kFlat, Profile{{ms(0.2), Watts(200)}, {ms(0.2), Watts(180)}}}) {
      VirtualSensor energy = counter(ms(20));
      energy.poll = ms(5);
      energy.unread_from = ms(asleep);
      energy.unread_to = ms(asleep + 300);
      VirtualBoard board({{energy}, {}});
      ProfileLoad load(board, launch);
      const Result<EnergyFigures> figures = measure(board, load, {.window = ms(50)});
      ASSERT_TRUE(figures) << asleep << ": " << figures.error().to_string();
      EXPECT_LE(std::abs(error_of(*figures, load.true_energy())), figures->energy.uncertainty / figures->energy.value);
    }
  }
}

TEST(Energy, ACounterThatIsResetOrStuckIsAnError) {
  VirtualBoard reset = a100();
  reset.sensors().energy[0].resets = nanoseconds_from_seconds(3);
  ProfileLoad on_reset(reset, kFlat);
  EXPECT_THAT(measure(reset, on_reset).error().to_string(), HasSubstr("was reset"));
  VirtualBoard stuck = a100();
  stuck.sensors().energy[0].dies = nanoseconds_from_seconds(2.7);
  ProfileLoad on_stuck(stuck, kFlat);
  EXPECT_THAT(measure(stuck, on_stuck).error().to_string(), HasSubstr("stands still"));
}

TEST(Energy, ADeviceLostInTheWindowIsTheLoadsError) {
  VirtualBoard board = a100();
  ProfileLoad load(board, kFlat);
  load.fails = nanoseconds_from_seconds(2.8);
  EXPECT_EQ(measure(board, load).error().code(), ErrorCode::device_lost);
}

TEST(Energy, ASensorOfAModuleIsRefused) {
  VirtualBoard board = a100();
  board.sensors().energy[0].info.scope = Scope::module;
  board.sensors().power.clear();
  ProfileLoad load(board, kFlat);
  EXPECT_THAT(measure(board, load).error().to_string(),
              HasSubstr("virtual.energy covers the module with its other chips, not the GPU's board alone"));
}

TEST(Energy, WithoutSensorsItSaysWhyNot) {
  VirtualBoard board(VirtualSensors{});
  ProfileLoad load(board, kFlat);
  EXPECT_THAT(measure(board, load).error().to_string(), HasSubstr("no sensor tells the board's energy or power"));
  board.failures = {"nvml.energy: MIG is on"};
  EXPECT_THAT(measure(board, load).error().to_string(), HasSubstr("MIG is on"));
}

}  // namespace
}  // namespace wattune::power
