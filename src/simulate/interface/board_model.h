// BoardModel describes the physics of a board: its clocks, its power, its heat, and the sensors that measure these. A
// table holds the boards that Wattune emulates.
//
// Values; any thread. src/simulate/board_table.cc tells which numbers come from papers and recordings; the others are
// assumed.
//
//   const simulate::BoardModel& a100 = *simulate::find_board_model("A100");
//   const Watts power = simulate::power_at(a100, {.graphics = Megahertz(985)}, {.core = 1.0}, Celsius(50));
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/interface/power_curve.h"
#include "wattune/core/units.h"
#include "wattune/power/recorder.h"

namespace wattune::inline v0_1::simulate {

// The share of the power that each part of a board can draw at most: 1 for a kernel that saturates it. Values above 1
// are allowed.
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
  // True if an energy counter sees only a window in each period and takes its mean for the whole period. If false, the
  // counter counts everything.
  bool counts_windows_only = false;
};

struct PowerLimits {
  Watts least;
  Watts usual;
  Watts most;
};

struct BoardModel {
  std::string name;                      // "A100"
  std::vector<Megahertz> clocks;         // of graphics, in ascending order
  std::vector<Megahertz> memory_clocks;  // in descending order
  Watts idle;                            // P0: power with a context and nothing to do, at 50 °C
  Watts deep_idle;                       // power without a context, at 50 °C
  double core_watts_per_mhz = 0.0;       // alpha
  double memory_watts_per_mhz = 0.0;
  // Power that the clocks cost whether or not anything runs. On a board with constant voltage, lower core clocks save
  // energy only because of these terms.
  double core_clocking_watts_per_mhz = 0.0;
  double memory_clocking_watts_per_mhz = 0.0;
  double voltage_slope = 0.0;   // beta, per MHz
  Megahertz voltage_threshold;  // tau: the voltage is lowest at clocks up to it
  Volts lowest_voltage{0.7};    // at clocks up to tau
  PowerLimits limits;
  std::vector<SensorModel> sensors;
  bool locks_memory = true;  // whether its memory clock can be locked
  double gain = 1.0;         // of its sensors: they show gain * truth + offset
  Watts offset = {};
  Celsius ambient{30.0};
  Celsius at_limit{80.0};                // temperature at which it settles under its usual limit
  Nanoseconds thermal_time{60e9};        // time in which the distance to the settled temperature falls to 1/e
  Nanoseconds least_lock_latency{10e6};  // least time until a lock takes effect; drawn per lock
  Nanoseconds most_lock_latency{300e6};
};

const std::vector<BoardModel>& board_models();
// Finds a model by its name; nullptr if no board has that name.
const BoardModel* find_board_model(const std::string& name);

// Settings that a board is asked to run at. An empty member means the highest clock or the usual limit.
struct Operation {
  std::optional<Megahertz> graphics = {};
  std::optional<Megahertz> memory = {};
  std::optional<Watts> limit = {};
};

// Returns the power at each clock under a load that fills the cores, at 50 °C and without a limit.
model::PowerCurve power_curve(const BoardModel& model);
// Returns the power that these clocks cost while nothing runs, on top of P0.
Watts clocking_power(const BoardModel& model, Megahertz graphics, Megahertz memory);
// Returns the power P = min(limit, P0 * (1 + 0.003 * (T - 50)) + clocking + core load + memory load). The core load is
// u times what power_curve() adds to P0; the memory load is linear in its clock, since its voltage is constant. This is
// equation 2 of Schoonhoven et al. 2022, with leakage that grows with the temperature.
Watts power_at(const BoardModel& model, const Operation& operation, const Activity& activity, Celsius temperature);
// Returns the power that power_at() would return without a limit.
Watts wanted_power(const BoardModel& model, const Operation& operation, const Activity& activity, Celsius temperature);
// Returns the highest clock of the table, up to the one asked for, at which the limit holds; the lowest if it holds at
// none.
Megahertz clock_under_load(const BoardModel& model, const Operation& operation, const Activity& activity,
                           Celsius temperature);
// Returns the one of these clocks that is nearest to `clock`.
Megahertz nearest_clock(const std::vector<Megahertz>& clocks, Megahertz clock);
// Returns the thermal resistance, in kelvin per watt.
double thermal_resistance(const BoardModel& model);

}  // namespace wattune::simulate
