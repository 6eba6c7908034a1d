// Boards with sensors of many classes, loads on them, and how often the truth lies within the bound that measure()
// states. Used by the test and for the table of docs/results/energy-measuring.md.
//
// There are forty boards. Thirty of them were used while the bounds were improved; the last ten were chosen before the
// bounds were last changed, and first measured after that.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "power/virtual_board.h"
#include "wattune/power/energy.h"

namespace wattune::inline v0_1::power {

struct SensorClass {
  const char* name;
  VirtualSensors sensors;
  bool kept_aside = false;  // true if it was chosen when the others were covered
};

inline VirtualSensor counts_part(Nanoseconds period, Nanoseconds window) {
  VirtualSensor sensor = counter(period);
  sensor.counts_windows = true;
  sensor.info.traits.window = window;
  return sensor;
}

struct Flaws {
  double quantum = 0.0;
  double drops = 0.0;
  double repeats = 0.0;
  Nanoseconds delay = {};
};
inline VirtualSensor flawed(VirtualSensor sensor, const Flaws& flaws) {
  sensor.quantum = flaws.quantum;
  sensor.drops = flaws.drops;
  sensor.repeats = flaws.repeats;
  sensor.delay = flaws.delay;
  return sensor;
}

inline std::vector<SensorClass> sensor_classes() {
  constexpr double kNoise = 0.002;
  return {
      {"counter 1 ms, 1 mJ; power 1/1 ms", {{flawed(counter(ms(1)), {.quantum = 1e-3})}, {boxcar(ms(1), ms(1))}}},
      {"counter 20 ms; power 10 of 20 ms", {{counter(ms(20))}, {boxcar(ms(20), ms(10), ms(2), kNoise)}}},
      {"counter 100 ms; power 25 of 100 ms", {{counter(ms(100))}, {boxcar(ms(100), ms(25), ms(10), kNoise)}}},
      {"counter 100 ms, counts 25; power 25 of 100 ms",
       {{counts_part(ms(100), ms(25))}, {boxcar(ms(100), ms(25), ms(10), kNoise)}}},
      {"counter 500 ms; power 500/500 ms", {{counter(ms(500))}, {boxcar(ms(500), ms(500), {}, kNoise)}}},
      {"power 100/100 ms, 1 W", {{}, {flawed(boxcar(ms(100), ms(100)), {.quantum = 1.0})}}},
      {"power 1 of 5 ms, 1 W", {{}, {flawed(boxcar(ms(5), ms(1), {}, kNoise), {.quantum = 1.0})}}},
      {"counter 10 ms, 1 mJ, delayed by up to 8 ms",
       {{flawed(counter(ms(10)), {.quantum = 1e-3, .delay = ms(8)})}, {}}},
      {"power lags by 833 ms, 15 ms", {{}, {lagging(ms(15), ms(833), kNoise)}}},
      {"counter 100 ms, a fifth repeated; power 1000/100 ms",
       {{flawed(counter(ms(100)), {.repeats = 0.2})}, {boxcar(ms(100), ms(1000), ms(10), kNoise)}}},
      {"counter 2 ms, counts 0.5", {{counts_part(ms(2), ms(0.5))}, {}}},
      {"counter 50 ms, a fifth dropped; power 50/50 ms",
       {{flawed(counter(ms(50)), {.drops = 0.2})}, {flawed(boxcar(ms(50), ms(50), {}, kNoise), {.drops = 0.2})}}},
      {"power 25 of 100 ms", {{}, {boxcar(ms(100), ms(25), ms(10), kNoise)}}},
      {"power 1000/100 ms", {{}, {boxcar(ms(100), ms(1000), ms(10), kNoise)}}},
      {"counter 250 ms, counts 60; power 60 of 250 ms, 1 W",
       {{counts_part(ms(250), ms(60))}, {flawed(boxcar(ms(250), ms(60), {}, kNoise), {.quantum = 1.0})}}},
      {"counter 500 ms, counts 125, 1 mJ", {{flawed(counts_part(ms(500), ms(125)), {.quantum = 1e-3})}, {}}},
      {"power 10 of 20 ms, 1 W, a fifth repeated",
       {{}, {flawed(boxcar(ms(20), ms(10), ms(2), kNoise), {.quantum = 1.0, .repeats = 0.2})}}},
      {"counter 100 ms, delayed by up to 20 ms, a tenth dropped; power 25 of 100 ms",
       {{flawed(counter(ms(100)), {.drops = 0.1, .delay = ms(20)})}, {boxcar(ms(100), ms(25), ms(10), kNoise)}}},
      {"power lags by 300 ms, 50 ms, 1 W", {{}, {flawed(lagging(ms(50), ms(300), kNoise), {.quantum = 1.0})}}},
      {"counter 5 ms; power 20 of 50 ms, a fifth repeated",
       {{counter(ms(5))}, {flawed(boxcar(ms(50), ms(20), {}, kNoise), {.repeats = 0.2})}}},
      {"counter 3 ms, 1 mJ; power 3/3 ms, 1 W",
       {{flawed(counter(ms(3)), {.quantum = 1e-3})}, {flawed(boxcar(ms(3), ms(3), {}, kNoise), {.quantum = 1.0})}}},
      {"counter 30 ms, counts 10; power 10 of 30 ms",
       {{counts_part(ms(30), ms(10))}, {boxcar(ms(30), ms(10), ms(2), kNoise)}}},
      {"counter 150 ms, delayed by up to 40 ms; power 300/150 ms",
       {{flawed(counter(ms(150)), {.delay = ms(40)})}, {boxcar(ms(150), ms(300), {}, kNoise)}}},
      {"counter 200 ms, counts 100, a tenth repeated", {{flawed(counts_part(ms(200), ms(100)), {.repeats = 0.1})}, {}}},
      {"counter 400 ms, a tenth dropped; power 100 of 400 ms",
       {{flawed(counter(ms(400)), {.drops = 0.1})}, {boxcar(ms(400), ms(100), ms(5), kNoise)}}},
      {"power 15 of 60 ms, 1 W, a tenth dropped",
       {{}, {flawed(boxcar(ms(60), ms(15), ms(3), kNoise), {.quantum = 1.0, .drops = 0.1})}}},
      {"power 500/50 ms, 1 W", {{}, {flawed(boxcar(ms(50), ms(500), {}, kNoise), {.quantum = 1.0})}}},
      {"power lags by 100 ms, 10 ms", {{}, {lagging(ms(10), ms(100), kNoise)}}},
      {"power 40 of 100 ms, delayed by up to 30 ms",
       {{}, {flawed(boxcar(ms(100), ms(40), {}, kNoise), {.delay = ms(30)})}}},
      {"counter 8 ms, counts 6, 1 mJ; power 1000/20 ms",
       {{flawed(counts_part(ms(8), ms(6)), {.quantum = 1e-3})}, {boxcar(ms(20), ms(1000), ms(10), kNoise)}}},
      {"counter 40 ms; power 20 of 40 ms", {{counter(ms(40))}, {boxcar(ms(40), ms(20), ms(4), kNoise)}}, true},
      {"counter 100 ms, counts 30, 1 mJ; power 30 of 100 ms",
       {{flawed(counts_part(ms(100), ms(30)), {.quantum = 1e-3})}, {boxcar(ms(100), ms(30), {}, kNoise)}},
       true},
      {"counter 25 ms, a tenth repeated; power 25/25 ms",
       {{flawed(counter(ms(25)), {.repeats = 0.1})}, {boxcar(ms(25), ms(25), {}, kNoise)}},
       true},
      {"power 80 of 200 ms, 1 W", {{}, {flawed(boxcar(ms(200), ms(80), {}, kNoise), {.quantum = 1.0})}}, true},
      {"power 12 of 50 ms", {{}, {boxcar(ms(50), ms(12), ms(5), kNoise)}}, true},
      {"counter 300 ms, delayed by up to 30 ms", {{flawed(counter(ms(300)), {.delay = ms(30)})}, {}}, true},
      {"power lags by 500 ms, 20 ms, 1 W", {{}, {flawed(lagging(ms(20), ms(500), kNoise), {.quantum = 1.0})}}, true},
      {"counter 60 ms, counts 20, a tenth dropped", {{flawed(counts_part(ms(60), ms(20)), {.drops = 0.1})}, {}}, true},
      {"counter 120 ms, 1 mJ; power 1000/120 ms",
       {{flawed(counter(ms(120)), {.quantum = 1e-3})}, {boxcar(ms(120), ms(1000), ms(10), kNoise)}},
       true},
      {"power 100/100 ms, 1 W, a fifth repeated",
       {{}, {flawed(boxcar(ms(100), ms(100), {}, kNoise), {.quantum = 1.0, .repeats = 0.2})}},
       true},
  };
}

// A kind of load.
struct LoadKind {
  const char* name;
  double of_idle;           // mean power of a launch, as a multiple of the idle power
  double modulation = 0.0;  // share by which the first part of a launch draws more than the mean
  double least = 0.0;       // least number of launches in a period of the sensor; 0 for launches of 3.5 ms
  double most = 0.0;
  double slower = 1.0;  // time of a launch relative to the timed one
  double jitter = 0.0;  // largest deviation of the time of a launch from its mean, as a share
  double first = 0.5;   // time of the first part, as a share of the launch
};

inline std::vector<LoadKind> load_kinds() {
  return {{"light", 1.15},
          {"full", 4.0},
          {"light, 10 % slower than timed", 1.15, 0.0, 0.0, 0.0, 1.1},
          {"full, 10 % slower than timed", 4.0, 0.0, 0.0, 0.0, 1.1},
          {"two phases, 9 to 11 in a period", 3.0, 0.5, 9.0, 11.0},
          {"two phases, 1 to 3 in a period", 3.0, 0.5, 1.0, 3.0},
          {"jittered by up to 20 %", 3.0, 0.0, 0.0, 0.0, 1.0, 0.2},
          {"a peak of a tenth, 1 to 3 in a period", 2.0, 3.0, 1.0, 3.0, 1.0, 0.0, 0.1}};
}

// Draws the launches in a period. For every second seed they are a whole number, and so stay in step with the sensor.
inline double launches_in_period(const LoadKind& kind, std::uint64_t seed, Random& random) {
  if (seed % 2 == 0) return kind.least + (kind.most - kind.least) * random.uniform();
  return kind.least + std::floor((kind.most - kind.least + 1.0) * random.uniform());
}

// One measured figure: its error and its bound, as shares of the truth.
struct Outcome {
  double error = 0.0;
  double bound = 0.0;
  bool inside() const { return std::abs(error) <= bound; }
};
struct Outcomes {
  Outcome energy;
  Outcome power;
  Outcome dynamic;
};

class StrangersLoad : public Load {
 public:
  StrangersLoad(VirtualBoard& board, Profile launch, double jitter, std::uint64_t seed)
      : board_(board), launch_(std::move(launch)), jitter_(jitter), random_(seed) {}
  Result<Batch> run(std::size_t launches) override {
    const Nanoseconds begin = board_.now();
    for (std::size_t i = 0; i < launches; ++i) {
      const double longer = 1.0 + jitter_ * (2.0 * random_.uniform() - 1.0);
      for (const Stretch& each : launch_) board_.run({{longer * each.time, each.power}}, 1);
    }
    return Batch{launches, begin, board_.now()};
  }

 private:
  VirtualBoard& board_;
  const Profile launch_;
  const double jitter_;
  Random random_;
};

// Measures a load on a board. The seed draws the phases of publications and readings and the length of launches.
inline Outcomes outcomes_of(SensorClass board_class, const LoadKind& kind, Nanoseconds window, std::uint64_t seed) {
  Random random(seed);
  const Nanoseconds together = random.uniform() * ms(1000);
  const auto draw = [&](VirtualSensor& sensor) {
    sensor.phase = together - sensor.info.traits.period * std::floor(together / sensor.info.traits.period);
    sensor.poll = reading_interval(sensor.info.traits) * (0.95 + 0.1 * random.uniform());
    sensor.poll_phase = random.uniform() * sensor.poll;
    sensor.seed = random.bits() >> 20;
  };
  for (VirtualSensor& each : board_class.sensors.energy) draw(each);
  for (VirtualSensor& each : board_class.sensors.power) draw(each);
  const auto& first = board_class.sensors.energy.empty() ? board_class.sensors.power : board_class.sensors.energy;
  const Nanoseconds period = first.front().info.traits.period;
  const Nanoseconds time = kind.least > 0.0 ? period / launches_in_period(kind, seed, random) : ms(3.5);
  const Watts at_rest(95.0 + 10.0 * random.uniform());
  const Watts power = kind.of_idle * at_rest;
  VirtualBoard board(board_class.sensors, at_rest);
  board.tells_conditions = false;
  board.wait(ms(1000) * random.uniform());
  const Measured<Watts> idle = measure_idle(board).value();
  const double less = kind.modulation * kind.first / (1.0 - kind.first);
  StrangersLoad load(
      board, {{kind.first * time, power * (1.0 + kind.modulation)}, {(1.0 - kind.first) * time, power * (1.0 - less)}},
      kind.jitter, seed);
  EnergyOptions options{.window = window};
  options.context_idle = idle;
  options.launch_time = time / kind.slower;
  const EnergyFigures figures = measure(board, load, options).value();
  const auto outcome = [](auto measured, auto truth) {
    return Outcome{(measured.value - truth) / truth, measured.uncertainty / truth};
  };
  return {outcome(figures.energy, power * time), outcome(figures.power, power),
          outcome(*figures.dynamic, (power - at_rest) * time)};
}

// Frequencies with which the truth is within the bound of each figure, with medians of the bounds and 95 % quantiles of
// the errors, as shares.
struct Covered {
  struct Figure {
    double inside = 0.0;
    double bound = 0.0;
    double error = 0.0;
  };
  Figure energy;
  Figure power;
  Figure dynamic;
};

inline Covered covered_in(std::vector<Outcomes> all) {
  const auto figure = [&](Outcome Outcomes::*member) {
    const auto inside = std::ranges::count_if(all, [&](const Outcomes& each) { return (each.*member).inside(); });
    std::ranges::sort(all, {}, [&](const Outcomes& each) { return (each.*member).bound; });
    const double bound = (all[all.size() / 2].*member).bound;
    std::ranges::sort(all, {}, [&](const Outcomes& each) { return std::abs((each.*member).error); });
    const double error = std::abs((all[all.size() * 95 / 100].*member).error);
    return Covered::Figure{static_cast<double>(inside) / static_cast<double>(all.size()), bound, error};
  };
  return {figure(&Outcomes::energy), figure(&Outcomes::power), figure(&Outcomes::dynamic)};
}

// Measures this kind of load so many times on boards with these sensors.
inline Covered covered_on(const SensorClass& board_class, const LoadKind& kind, Nanoseconds window,
                          std::uint64_t seeds) {
  std::vector<Outcomes> all;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) all.push_back(outcomes_of(board_class, kind, window, seed));
  return covered_in(std::move(all));
}

// Measures this kind of load on all boards that are kept aside, or on all others.
inline Covered covered_by(const LoadKind& kind, Nanoseconds window, bool kept_aside, std::uint64_t seeds) {
  std::vector<Outcomes> all;
  for (const SensorClass& each : sensor_classes())
    for (std::uint64_t seed = 1; each.kept_aside == kept_aside && seed <= seeds; ++seed)
      all.push_back(outcomes_of(each, kind, window, seed));
  return covered_in(std::move(all));
}

}  // namespace wattune::power
