// The protocol on boards in virtual time, whose energy is known.
#include "wattune/power/energy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "power/virtual_board.h"

namespace wattune::power {
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
  Nanoseconds gap;  // after each batch, in which the host does other things
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

// 25 ms of each 100 ms are seen, as on A100.
VirtualBoard a100(std::uint64_t seed = 1, bool counts_windows = false) {
  Random random(seed);
  VirtualSensor energy = counter(ms(100), random.uniform() * ms(100));
  energy.counts_windows = counts_windows;
  energy.info.traits.window = counts_windows ? ms(25) : Nanoseconds();
  VirtualSensor power = boxcar(ms(100), ms(25), {}, 0.003);
  power.phase = energy.phase;
  power.seed = random.bits();
  // Not in step with the publications, which would make both ends err alike.
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
    const EnergyFigures figures = measure(board, load, {.window = kReported}).value();
    const double error = error_of(figures, load.true_energy());
    EXPECT_LT(std::abs(error), 0.005) << seed;
    EXPECT_LE(std::abs(error), figures.energy.uncertainty / figures.energy.value) << seed;
    EXPECT_LT(figures.energy.uncertainty / figures.energy.value, 0.005);
    EXPECT_FALSE(figures.phased);
    EXPECT_FALSE(figures.disagrees());
  }
}

// Of launches in step with the sensor a counter of windows sees one half only, unless they begin at other phases.
TEST(Energy, OfAKernelThatAliasesIsKnownToThreePercent) {
  int within = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    VirtualBoard board = a100(seed, seed % 2 == 0);
    ProfileLoad load(board, kTwoPhases);
    const EnergyFigures figures = measure(board, load, {.window = kReported, .context_idle = Watts(50)}).value();
    EXPECT_TRUE(figures.phased);
    const double error = error_of(figures, load.true_energy());
    EXPECT_LT(std::abs(error), 0.03) << seed;
    EXPECT_LT(figures.energy.uncertainty / figures.energy.value, 0.06);
    if (std::abs(error) <= figures.energy.uncertainty / figures.energy.value) ++within;
  }
  EXPECT_GE(within, 95);
}

TEST(Energy, PowerAndDynamicEnergyFollow) {
  VirtualBoard board = a100();
  ProfileLoad load(board, kFlat);
  const EnergyFigures figures = measure(board, load, {.window = kFinalist, .context_idle = Watts(50)}).value();
  EXPECT_NEAR(figures.power.value.value(), 200, 1);
  EXPECT_NEAR(to_ms(figures.time), 3.5, 1e-9);
  // 150 W beyond idling, for 3.5 ms.
  EXPECT_NEAR(figures.dynamic->value.value(), 0.525, 0.004);
  EXPECT_EQ(figures.sensor, "virtual.energy");
  EXPECT_EQ(figures.set_up, SetUp::none);
}

// 2 ms at 80 W before each launch, of which the time knows nothing.
TEST(Energy, LeavesOutTheSetUp) {
  VirtualBoard board = a100();
  ProfileLoad load(board, kFlat, {{ms(2), Watts(80)}});
  const EnergyFigures figures = measure(board, load, {.window = kFinalist}).value();
  EXPECT_EQ(figures.set_up, SetUp::subtracted);
  EXPECT_LT(std::abs(error_of(figures, load.true_energy())), figures.energy.uncertainty / figures.energy.value);
  EXPECT_NEAR(figures.energy.value.value(), 0.7, 0.01);
  EXPECT_NEAR(figures.power.value.value(), 200, 3);
  EXPECT_NEAR(figures.set_up_cost->energy.value.value(), 0.16, 0.002);
}

TEST(Energy, ASetUpThatIsKnownIsNotMeasuredAgain) {
  VirtualBoard board = a100();
  ProfileLoad load(board, kFlat, {{ms(2), Watts(80)}});
  const EnergyFigures first = measure(board, load, {.window = kFinalist}).value();
  const Nanoseconds before = board.now();
  const EnergyFigures second = measure(board, load, {.window = kFinalist, .set_up = first.set_up_cost}).value();
  EXPECT_LT(board.now() - before, nanoseconds_from_seconds(6));
  EXPECT_NEAR(second.energy.value.value(), 0.7, 0.01);
}

TEST(Energy, SaysThatASetUpWhichCannotRunAloneIsIncluded) {
  VirtualBoard board = a100();
  ProfileLoad load(board, kFlat, {{ms(2), Watts(80)}});
  load.alone = false;
  const EnergyFigures figures = measure(board, load, {.window = kFinalist}).value();
  EXPECT_EQ(figures.set_up, SetUp::included);
  EXPECT_NEAR(figures.energy.value.value(), 0.86, 0.01);
}

// A millisecond in 50: at 50 W. What nobody knows of it is in the bound.
TEST(Energy, GapsBetweenBatchesAreLeftOut) {
  for (const std::optional<Watts> idle : {std::optional<Watts>(Watts(50)), std::optional<Watts>()}) {
    VirtualBoard board = a100();
    ProfileLoad load(board, kFlat);
    load.gap = ms(1);
    const EnergyFigures figures = measure(board, load, {.window = kFinalist, .context_idle = idle}).value();
    EXPECT_LT(std::abs(error_of(figures, load.true_energy())), figures.energy.uncertainty / figures.energy.value);
    EXPECT_NEAR(figures.energy.uncertainty / figures.energy.value, idle ? 0.005 : 0.015, 0.003);
  }
}

TEST(Energy, WarmsUpForAsLongAsTheSensorLooksBack) {
  VirtualBoard board({{}, {boxcar(ms(100), ms(1000))}});
  ProfileLoad load(board, kFlat);
  const Nanoseconds begin = board.now();
  const EnergyFigures figures = measure(board, load, {.window = kScreening}).value();
  EXPECT_LT(std::abs(error_of(figures, load.true_energy())), 0.001);
  EXPECT_EQ(figures.sensor, "virtual.power");
  // 1.2 s of warming up, 1 s, two periods, and half the window that the last reading looks back.
  EXPECT_NEAR(to_seconds(board.now() - begin), 1.2 + 1.0 + 0.2 + 0.5, 0.1);
}

TEST(Energy, OfASensorThatLagsBehindIsCorrected) {
  VirtualBoard board({{}, {lagging(ms(15), ms(833))}});
  ProfileLoad load(board, kFlat);
  const EnergyFigures figures = measure(board, load, {.window = kFinalist}).value();
  EXPECT_LT(std::abs(error_of(figures, load.true_energy())), figures.energy.uncertainty / figures.energy.value);
  EXPECT_LT(std::abs(error_of(figures, load.true_energy())), 0.01);
}

TEST(Energy, CounterAndPowerThatDisagreeAreReported) {
  VirtualBoard board = a100();
  board.sensors().energy[0].gain = 0.6;
  ProfileLoad load(board, kFlat);
  const EnergyFigures figures = measure(board, load, {.window = kFinalist}).value();
  EXPECT_TRUE(figures.disagrees());
  EXPECT_NEAR(*figures.disagreement, 1.0 / 0.6 - 1.0, 0.02);
}

// 1.5 s each; readings have noise of 0.5 %, so that two medians never agree to a billionth.
TEST(Energy, RepeatsUntilWindowsAgreeOrTheBudgetIsSpent) {
  VirtualBoard board({{}, {boxcar(ms(100), ms(25), {}, 0.005)}});
  ProfileLoad load(board, kFlat);
  EXPECT_EQ(measure(board, load, {.windows = 9, .precision = 0.02}).value().windows, 3u);
  const EnergyFigures some =
      measure(board, load, {.budget = nanoseconds_from_seconds(8), .windows = 99, .precision = 1e-9}).value();
  EXPECT_EQ(some.windows, 5u);
  EXPECT_GT(some.spread, 0.0);
  EXPECT_GE(some.energy.uncertainty / some.energy.value, some.spread);
}

TEST(Energy, TellsWhatTheBoardWasLike) {
  VirtualBoard board = a100();
  board.conditions.throttled = true;
  ProfileLoad load(board, kFlat);
  const BoardConditions conditions = measure(board, load).value().conditions;
  EXPECT_EQ(conditions.clock, Megahertz(1410));
  EXPECT_EQ(conditions.lowest_clock, Megahertz(1410));
  EXPECT_EQ(conditions.throttled, 1.0);
  EXPECT_TRUE(conditions.throttled_before);
  EXPECT_EQ(conditions.temperature_before, Celsius(41));
}

TEST(Energy, AWindowLongerThanItsBudgetIsRefused) {
  VirtualBoard board = a100();
  ProfileLoad load(board, kFlat);
  const Error error = measure(board, load, {.window = kReported, .budget = kFinalist}).error();
  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(error.to_string(), HasSubstr("takes 10.3 s is longer than its budget of 5.0 s"));
  EXPECT_EQ(load.batches, 0);
}

// Sixteen launches of 1.5 s.
TEST(Energy, PhasesThatDoNotFitTheBudgetAreRefused) {
  VirtualBoard board = a100();
  ProfileLoad load(board, {{ms(1500), Watts(200)}});
  const Error error = measure(board, load, {.budget = kReported}).error();
  EXPECT_THAT(error.to_string(), HasSubstr("longer than its budget of 10.0 s"));
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
              HasSubstr("virtual.energy tells of the module with its other chips, not of the GPU's board alone"));
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
