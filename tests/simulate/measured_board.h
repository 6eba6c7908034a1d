// MeasuredBoard is a simulated board with kernels of known true energy, and compares ways of measuring it: the protocol
// of wattune/power/energy.h and those of others.
//
// Heat is left out, so that a launch always takes the same energy. Phases and noise of the sensors depend on the seed.
// So does their period, which is 101 to 109 ms instead of 100, so that the recorder's 25 ms are never in step with it.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lab/emulation/board_sensors.h"
#include "wattune/core/random.h"
#include "wattune/power/energy.h"

namespace wattune::inline v0_1::simulate {

// A function that makes a kernel for a board whose sensors have this period.
using KernelFor = Kernel (*)(Nanoseconds period);

// Returns a kernel of 3.5 ms at constant power.
inline Kernel flat_kernel(Nanoseconds /*period*/) {
  return {.fixed = nanoseconds_from_ms(3.5), .phases = {{1.0, {.core = 0.7}}}};
}
// Returns a kernel in step with the sensors, whose first half has a high power.
inline Kernel two_phase_kernel(Nanoseconds period) {
  return {.fixed = period, .phases = {{0.5, {.core = 0.8}}, {0.5, {.core = 0.2}}}};
}

class BoardLoad : public power::Load {
 public:
  BoardLoad(SimulatedBoard& board, Kernel kernel) : board_(board), kernel_(std::move(kernel)) {}

  Result<Batch> run(std::size_t launches) override {
    const Launches ran = board_.launch(kernel_, launches);
    energy_ += ran.energy;
    launches_ += static_cast<double>(launches);
    return Batch{launches, ran.begin, ran.end};
  }
  // Returns the true energy of one launch.
  Joules truth() const { return energy_ / launches_; }

 private:
  SimulatedBoard& board_;
  const Kernel kernel_;
  Joules energy_;
  double launches_ = 0.0;
};

struct MeasuredBoard {
  MeasuredBoard(const std::string& model, KernelFor kernel, std::uint64_t seed, bool counts_windows_only = false)
      : MeasuredBoard(*find_board_model(model), kernel, Random(seed), counts_windows_only) {}
  MeasuredBoard(const BoardModel& model, KernelFor kernel, Random random, bool counts_windows_only)
      : slowness(1.01 + 0.08 * random.uniform()),
        board(changed(model, slowness, counts_windows_only), random.bits()),
        load(board, kernel(slowness * nanoseconds_from_ms(100))) {
    board.hold_context(true);
    board.pass(nanoseconds_from_seconds(2.0 + random.uniform()));
  }

  static BoardModel changed(BoardModel model, double slowness, bool counts_windows_only) {
    model.ambient = model.at_limit = Celsius(50);
    for (SensorModel& sensor : model.sensors) {
      sensor.traits.period = slowness * sensor.traits.period;
      sensor.traits.window = slowness * sensor.traits.window;
      if (sensor.kind != SensorKind::energy) continue;
      sensor.counts_windows_only = counts_windows_only;
      if (counts_windows_only) sensor.traits.window = sensor.traits.period / 4.0;
    }
    return model;
  }

  double slowness;
  SimulatedBoard board;
  power::Board sensors = emulation::sensors_of(board);
  std::unique_ptr<power::Recorder> recorder = emulation::make_recorder(board, sensors);
  BoardLoad load;
};

// Estimates the joules of one launch by the protocol. Precondition: the board has the sensor.
inline Joules by_protocol(MeasuredBoard& measured, Nanoseconds window) {
  const power::Measured<Watts> idle = power::measure_idle(*measured.recorder).value();
  const power::EnergyOptions options{.window = window, .context_idle = idle};
  return power::measure(*measured.recorder, measured.load, options).value().energy.value;
}

// A loop that begins on an idle board, with the power that a tool was shown which asks every 10 ms.
struct Loop {
  std::vector<Watts> shown;
  Nanoseconds launch;
};

inline Loop run_loop(MeasuredBoard& measured, std::size_t sensor, Nanoseconds time) {
  (void)measured.recorder->start();
  const Nanoseconds begin = measured.recorder->now();
  double launches = 0.0;
  for (; measured.recorder->now() < begin + time; ++launches) (void)measured.load.run(1);
  const Nanoseconds end = measured.recorder->now();
  const power::Recording recording = measured.recorder->stop().value();
  Loop loop{.launch = (end - begin) / launches};
  const auto& changes = recording.power.at(sensor).changes;
  for (Nanoseconds at = begin + nanoseconds_from_ms(10); at <= end; at += nanoseconds_from_ms(10)) {
    const auto behind = std::ranges::upper_bound(changes, at, {}, &power::Change<Watts>::at);
    if (behind != changes.begin()) loop.shown.push_back((behind - 1)->value);
  }
  return loop;
}

// Estimates as Kernel Tuner does: the median power of a loop of a second times the time of a launch.
inline Joules by_median_power(MeasuredBoard& measured, std::size_t sensor) {
  Loop loop = run_loop(measured, sensor, nanoseconds_from_seconds(1));
  const auto middle = loop.shown.begin() + static_cast<std::ptrdiff_t>(loop.shown.size() / 2);
  std::ranges::nth_element(loop.shown, middle);
  return *middle * loop.launch;
}

inline Joules by_mean_power(MeasuredBoard& measured, std::size_t sensor) {
  const Loop loop = run_loop(measured, sensor, nanoseconds_from_seconds(1));
  Watts sum;
  for (const Watts each : loop.shown) sum += each;
  return sum / static_cast<double>(loop.shown.size()) * loop.launch;
}

}  // namespace wattune::simulate
