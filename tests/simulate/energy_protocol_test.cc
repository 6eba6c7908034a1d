// The energy protocol on boards with the sensors of A100 and H100. docs/results/energy-measuring.md has the table;
// benchmarks of more phases print it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "simulate/measured_board.h"

namespace wattune::inline v0_1::simulate {
namespace {

constexpr std::uint64_t kSeeds = 24;

using Estimate = std::function<Joules(MeasuredBoard&)>;

// Returns the largest error of all seeds, as a share. Counters of even seeds count everything, those of odd seeds what
// a quarter of each period shows: no publication tells which of the two GA100 and GH100 do.
double worst(const std::string& model, KernelFor kernel, const Estimate& estimate) {
  double largest = 0.0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    MeasuredBoard measured(model, kernel, seed, seed % 2 == 1);
    const Joules told = estimate(measured);
    largest = std::max(largest, std::abs(told / measured.load.truth() - 1.0));
  }
  return largest;
}

Joules reported(MeasuredBoard& measured) { return by_protocol(measured, power::kReportedWindow); }

TEST(EnergyProtocol, KnowsFlatKernelsToHalfAPercent) {
  for (const char* model : {"A100", "H100"}) EXPECT_LT(worst(model, flat_kernel, reported), 0.005) << model;
}

TEST(EnergyProtocol, KnowsKernelsInStepWithTheSensorToThreePercent) {
  for (const char* model : {"A100", "H100"}) EXPECT_LT(worst(model, two_phase_kernel, reported), 0.03) << model;
}

// The same kernels run for a second, as Kernel Tuner measures: the sensor shows one half of the kernel.
TEST(EnergyProtocol, CommonPracticeIsTenTimesAsFarOff) {
  for (const char* model : {"A100", "H100"})
    EXPECT_GT(worst(model, two_phase_kernel, [](MeasuredBoard& board) { return by_median_power(board, 0); }), 0.3)
        << model;
}

// Returns how far the furthest of ten processes is from their median, as a share. The board was idle before the first
// process and has two seconds to cool before each.
double spread_of_ten_processes(const std::string& model, Nanoseconds window) {
  SimulatedBoard board(*find_board_model(model));
  std::vector<Joules> told;
  for (int process = 0; process < 10; ++process) {
    board.hold_context(false);
    board.pass(nanoseconds_from_seconds(2));
    board.hold_context(true);
    power::Board sensors = emulation::sensors_of(board);
    const std::unique_ptr<power::Recorder> recorder = emulation::make_recorder(board, sensors);
    const power::Measured<Watts> idle = power::measure_idle(*recorder).value();
    BoardLoad load(board, flat_kernel({}));
    told.push_back(power::measure(*recorder, load, {.window = window, .context_idle = idle}).value().energy.value);
  }
  std::ranges::sort(told);
  const Joules median = (told[4] + told[5]) / 2.0;
  return std::max(told.back() / median, 2.0 - told.front() / median) - 1.0;
}

// Returns by how much more a launch takes after five minutes of launches than on an idle board, as a share.
double drift(const std::string& model) {
  SimulatedBoard board(*find_board_model(model));
  const Kernel kernel = flat_kernel({});
  const Joules cold = board.launch(kernel).energy;
  board.launch(kernel, 90'000);
  return board.launch(kernel).energy / cold - 1.0;
}

// A board leaks 0.3 % of its idle power more per degree; a window of 10 s begins when it hardly warms up any more.
TEST(EnergyProtocol, TenProcessesOnABoardThatHeatsAgreeToAPercent) {
  for (const char* model : {"A100", "H100"}) {
    EXPECT_GT(drift(model), 0.02) << model;
    EXPECT_LT(spread_of_ten_processes(model, power::kReportedWindow), 0.01) << model;
  }
}

TEST(EnergyProtocol, BoundsHold) {
  int within = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    MeasuredBoard measured("A100", two_phase_kernel, seed, seed % 2 == 1);
    const power::Measured<Watts> idle = power::measure_idle(*measured.recorder).value();
    const power::EnergyFigures figures =
        power::measure(*measured.recorder, measured.load, {.window = power::kReportedWindow, .context_idle = idle})
            .value();
    EXPECT_TRUE(figures.phased);
    const Joules error = figures.energy.value - measured.load.truth();
    if (std::abs(error.value()) <= figures.energy.uncertainty.value()) ++within;
    EXPECT_LT(figures.energy.uncertainty / figures.energy.value, 0.06);
  }
  EXPECT_GE(within, static_cast<int>(kSeeds) - 1);
}

TEST(EnergyProtocol, ABoardThatIsLostInTheWindowIsSaid) {
  MeasuredBoard measured("A100", flat_kernel, 1);
  class Lost : public BoardLoad {
   public:
    Lost(SimulatedBoard& board) : BoardLoad(board, flat_kernel(Nanoseconds())), board_(board) {}
    Result<Batch> run(std::size_t launches) override {
      if (++batches_ == 14) board_.lose();
      return BoardLoad::run(launches);
    }

   private:
    SimulatedBoard& board_;
    int batches_ = 0;
  } load(measured.board);
  const auto figures = power::measure(*measured.recorder, load, {});
  ASSERT_FALSE(figures);
  EXPECT_NE(figures.error().to_string().find("stopped reporting in the middle of an energy window"), std::string::npos)
      << figures.error().to_string();
}

}  // namespace
}  // namespace wattune::simulate
