// BoardModel: what a board is, as physics: clocks, power, heat, and the sensors that tell of it; and the table of those
// boards that Wattune emulates.
//
// Values; any thread. Numbers from papers and recordings are marked in src/simulate/board_table.cc, the others assumed.
//
//   const simulate::BoardModel& a100 = *simulate::find_board_model("A100");
//   const Watts power = simulate::power_at(a100, {.graphics = Megahertz(985)}, {.core = 1.0}, Celsius(50));
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wattune/core/units.h"
#include "wattune/model/power_curve.h"
#include "wattune/power/sensor.h"

namespace wattune::simulate {

// How much of what each part of a board could draw is drawn: 1 for a kernel that saturates it. Nothing forbids more.
struct Activity {
  double core = 0.0;
  double memory = 0.0;

  bool operator==(const Activity&) const = default;
};

enum class SensorKind { power, energy };

struct SensorModel {
  std::string name;  // "power.instant", "power.average", "power.draw" or "energy"
  SensorKind kind = SensorKind::power;
  power::SensorTraits traits;
  // Of a counter: it adds the mean of a window in each period, and so never sees the rest; else all of it.
  bool counts_windows_only = false;
};

struct PowerLimits {
  Watts least;
  Watts usual;
  Watts most;
};

struct BoardModel {
  std::string name;                      // "A100"
  std::vector<Megahertz> clocks;         // of graphics, the lowest first
  std::vector<Megahertz> memory_clocks;  // the highest first
  Watts idle;                            // P0: with a context and nothing to do, at 50 °C
  Watts deep_idle;                       // without a context, at 50 °C
  double core_watts_per_mhz = 0.0;       // alpha
  double memory_watts_per_mhz = 0.0;
  // What clocks cost whatever is done: all that makes lower core clocks pay where the voltage is constant.
  double core_clocking_watts_per_mhz = 0.0;
  double memory_clocking_watts_per_mhz = 0.0;
  double voltage_slope = 0.0;   // beta, per MHz
  Megahertz voltage_threshold;  // tau: up to it the voltage is the lowest
  Volts lowest_voltage{0.7};    // that of the clocks up to tau
  PowerLimits limits;
  std::vector<SensorModel> sensors;
  bool locks_memory = true;  // whether its memory clock can be locked
  double gain = 1.0;         // of its sensors: what they show is gain * truth + offset
  Watts offset = {};
  Celsius ambient{30.0};
  Celsius at_limit{80.0};                // where it settles at its usual limit
  Nanoseconds thermal_time{60e9};        // to come as close as 1/e to where it settles
  Nanoseconds least_lock_latency{10e6};  // until a lock is obeyed, drawn anew for each
  Nanoseconds most_lock_latency{300e6};
};

const std::vector<BoardModel>& board_models();
// nullptr: there is none of that name.
const BoardModel* find_board_model(const std::string& name);

// What a board is asked to run at. Empty: its highest clocks and its usual limit.
struct Operation {
  std::optional<Megahertz> graphics = {};
  std::optional<Megahertz> memory = {};
  std::optional<Watts> limit = {};
};

// What it draws at which clock under a load that fills its cores, at 50 °C and without a limit.
model::PowerCurve power_curve(const BoardModel& model);
// What it draws at these clocks while nothing runs, beside P0.
Watts clocking_power(const BoardModel& model, Megahertz graphics, Megahertz memory);
// P = min(limit, P0 * (1 + 0.003 * (T - 50)) + clocking + u * what that curve adds to P0 + the same of the memory,
// whose voltage is constant) (paper 003, equation 2, with leakage that grows with the temperature).
Watts power_at(const BoardModel& model, const Operation& operation, const Activity& activity, Celsius temperature);
// The same without the limit.
Watts wanted_power(const BoardModel& model, const Operation& operation, const Activity& activity, Celsius temperature);
// The highest clock of the table up to the one asked for with which the limit holds; the lowest where none does.
Megahertz clock_under_load(const BoardModel& model, const Operation& operation, const Activity& activity,
                           Celsius temperature);
// Of these clocks the one that is nearest to this one.
Megahertz nearest_clock(const std::vector<Megahertz>& clocks, Megahertz clock);
// Kelvin for each watt.
double thermal_resistance(const BoardModel& model);

}  // namespace wattune::simulate
