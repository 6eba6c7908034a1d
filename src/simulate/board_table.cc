// The simulated boards and the sources of their numbers.
//
// P0, alpha, beta, tau and the limit of A100, A4000, V100 and TITAN RTX are fitted. For the A4000 they are fitted to a
// recorded sweep, for the others to two points each of Schoonhoven's table II with an assumed P0.
//
// The power of K20c and K40c and the time constants of their sensors are from Guerreiro et al. 2015, which states that
// the GTX boards have no sensor. Periods and windows of sensors are from "Part-time power measurements" (arXiv
// 2312.02741).
//
// Memory, deep idle, lag, noise and the ranges of limits are assumed. Assumed are also all numbers of power of the H100
// and of the boards of Guerreiro et al. 2015.
#include <cmath>

#include "simulate/interface/board_model.h"

namespace wattune::inline v0_1::simulate {

namespace {

constexpr double kNoise = 0.002;

std::vector<Megahertz> clocks_from(double least, double most, double step) {
  std::vector<Megahertz> clocks;
  for (int i = 0; i <= std::lround((most - least) / step); ++i) clocks.emplace_back(least + i * step);
  return clocks;
}

SensorModel boxcar(const char* name, double period_ms, double window_ms) {
  const Nanoseconds lag = nanoseconds_from_ms(period_ms < 50.0 ? 2.0 : 10.0);
  return {name,
          SensorKind::power,
          {.response = power::Response::boxcar,
           .period = nanoseconds_from_ms(period_ms),
           .window = nanoseconds_from_ms(window_ms),
           .lag = lag,
           .noise = kNoise}};
}

SensorModel lagging(double time_constant_s) {
  return {"power.draw",
          SensorKind::power,
          {.response = power::Response::lag,
           .period = nanoseconds_from_ms(15.0),
           .time_constant = nanoseconds_from_seconds(time_constant_s),
           .noise = kNoise}};
}

SensorModel counter(double period_ms) {
  return {
      "energy", SensorKind::energy, {.response = power::Response::counter, .period = nanoseconds_from_ms(period_ms)}};
}

BoardModel a100_board() {
  return {.name = "A100",
          .clocks = clocks_from(210, 1410, 15),
          .memory_clocks = {Megahertz(1215)},
          .idle = Watts(45),
          .deep_idle = Watts(32),
          .core_watts_per_mhz = 0.0614,
          .memory_watts_per_mhz = 0.045,
          .voltage_slope = 1.285e-3,
          .voltage_threshold = Megahertz(985),
          .limits = {Watts(150), Watts(250), Watts(250)},
          .sensors = {boxcar("power.instant", 100, 25), boxcar("power.draw", 100, 25), counter(100)}};
}

BoardModel a4000_board() {
  return {.name = "A4000",
          .clocks = clocks_from(210, 2100, 15),
          .memory_clocks = {Megahertz(7001), Megahertz(5001), Megahertz(810), Megahertz(405)},
          .idle = Watts(29.3),
          .deep_idle = Watts(15),
          .core_watts_per_mhz = 0.0376,
          .memory_watts_per_mhz = 0.003,
          .voltage_slope = 7.4e-4,
          .voltage_threshold = Megahertz(1298),
          .limits = {Watts(100), Watts(140), Watts(140)},
          .sensors = {boxcar("power.instant", 100, 100), boxcar("power.average", 100, 1000),
                      boxcar("power.draw", 100, 1000), counter(100)}};
}

BoardModel recorded_a4000_board() {
  BoardModel model = a4000_board();
  model.name = "A4000-recorded";
  model.voltage_threshold = Megahertz(1348);
  return model;
}

BoardModel v100_board() {
  return {.name = "V100",
          .clocks = clocks_from(135, 1380, 7.5),
          .memory_clocks = {Megahertz(877)},
          .idle = Watts(35),
          .deep_idle = Watts(25),
          .core_watts_per_mhz = 0.0848,
          .memory_watts_per_mhz = 0.05,
          .voltage_slope = 6.22e-4,
          .voltage_threshold = Megahertz(1110),
          .limits = {Watts(100), Watts(250), Watts(250)},
          .sensors = {boxcar("power.instant", 20, 10), boxcar("power.draw", 20, 10), counter(20)},
          .locks_memory = false};
}

BoardModel titan_rtx_board() {
  return {.name = "TITAN-RTX",
          .clocks = clocks_from(300, 2100, 15),
          .memory_clocks = {Megahertz(7001), Megahertz(405)},
          .idle = Watts(55),
          .deep_idle = Watts(18),
          .core_watts_per_mhz = 0.0606,
          .memory_watts_per_mhz = 0.006,
          .voltage_slope = 5.14e-4,
          .voltage_threshold = Megahertz(1155),
          .limits = {Watts(100), Watts(280), Watts(320)},
          .sensors = {boxcar("power.instant", 100, 100), boxcar("power.draw", 100, 100), counter(100)},
          .locks_memory = false};
}

BoardModel h100_board() {
  return {.name = "H100",
          .clocks = clocks_from(210, 1980, 15),
          .memory_clocks = {Megahertz(2619), Megahertz(1593)},
          .idle = Watts(110),
          .deep_idle = Watts(70),
          .core_watts_per_mhz = 0.16,
          .memory_watts_per_mhz = 0.045,
          .voltage_slope = 5e-4,
          .voltage_threshold = Megahertz(1200),
          .limits = {Watts(200), Watts(700), Watts(700)},
          .sensors = {boxcar("power.instant", 100, 25), boxcar("power.average", 100, 1000),
                      boxcar("power.draw", 100, 1000), counter(100)}};
}

BoardModel k20c_board() {
  return {.name = "K20c",
          .clocks = {Megahertz(614), Megahertz(640), Megahertz(666), Megahertz(705), Megahertz(758)},
          .memory_clocks = {Megahertz(2600)},
          .idle = Watts(45),
          .deep_idle = Watts(25),
          .core_watts_per_mhz = 0.137,
          .memory_watts_per_mhz = 0.015,
          .voltage_slope = 1e-3,
          .voltage_threshold = Megahertz(640),
          .limits = {Watts(150), Watts(225), Watts(225)},
          .sensors = {lagging(0.833)},
          .locks_memory = false};
}

BoardModel k40c_board() {
  return {.name = "K40c",
          .clocks = {Megahertz(666), Megahertz(745), Megahertz(810), Megahertz(875)},
          .memory_clocks = {Megahertz(3004)},
          .idle = Watts(45),
          .deep_idle = Watts(20),
          .core_watts_per_mhz = 0.12,
          .memory_watts_per_mhz = 0.014,
          .voltage_slope = 1e-3,
          .voltage_threshold = Megahertz(700),
          .limits = {Watts(180), Watts(235), Watts(235)},
          .sensors = {lagging(0.79)},
          .locks_memory = false};
}

// Returns the GT640. Clocks and voltage are from Jiao et al., table 2 and section 3.1, who measured its power from
// outside, since the board has no sensor. All powers are assumed. P0 and the power of the clocks give the values of
// table 1, at the highest and at the best clocks, for Hotspot followed by Mergehist.
BoardModel gt640_board() {
  return {
      .name = "GT640",
      .clocks = {Megahertz(562), Megahertz(705), Megahertz(836), Megahertz(967), Megahertz(1097), Megahertz(1228)},
      .memory_clocks = {Megahertz(710), Megahertz(625), Megahertz(550), Megahertz(480), Megahertz(400), Megahertz(324)},
      .idle = Watts(14.2),
      .deep_idle = Watts(8),
      .core_watts_per_mhz = 0.0099,
      .memory_watts_per_mhz = 0.008,
      .core_clocking_watts_per_mhz = 0.0095,
      .memory_clocking_watts_per_mhz = 0.006,
      .voltage_threshold = Megahertz(1228),
      .lowest_voltage = Volts(1.012),
      .limits = {Watts(65), Watts(65), Watts(65)},
      .sensors = {}};
}

BoardModel without_sensors(const char* name, double clock, double memory, double limit) {
  return {.name = name,
          .clocks = {Megahertz(clock)},
          .memory_clocks = {Megahertz(memory)},
          .idle = Watts(40),
          .deep_idle = Watts(20),
          .core_watts_per_mhz = 0.6 * limit / clock,
          .memory_watts_per_mhz = 30.0 / memory,
          .voltage_threshold = Megahertz(clock),
          .limits = {Watts(limit), Watts(limit), Watts(limit)},
          .sensors = {},
          .locks_memory = false};
}

}  // namespace

const std::vector<BoardModel>& board_models() {
  static const std::vector<BoardModel> models = {a100_board(),
                                                 a4000_board(),
                                                 recorded_a4000_board(),
                                                 v100_board(),
                                                 titan_rtx_board(),
                                                 h100_board(),
                                                 k20c_board(),
                                                 k40c_board(),
                                                 gt640_board(),
                                                 without_sensors("GTX680", 1006, 3004, 195),
                                                 without_sensors("GTX580", 772, 2004, 244)};
  return models;
}

}  // namespace wattune::simulate
