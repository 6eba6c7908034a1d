// BoardModel describes the physics of a board: its clocks, its power, its heat, and the sensors that measure these. A
// table holds the boards that Wattune emulates.
//
// All types are values, and any thread may use them. src/simulate/board_table.cc tells which numbers come from papers
// and recordings; the others are assumed.
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

// For each part of a board, the share of the highest power that it can draw: 1 for a kernel that saturates the part.
// Values above 1 are allowed.
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
  // True if an energy counter sees only a window in each period and takes the window's mean for the whole period. If
  // false, the counter counts everything.
  bool counts_windows_only = false;
};

struct PowerLimits {
  Watts least;
  Watts usual;
  Watts most;
};

struct BoardModel {
  std::string name;                      // "A100"
  std::vector<Megahertz> clocks;         // clocks of graphics, in ascending order
  std::vector<Megahertz> memory_clocks;  // clocks of the memory, in descending order
  Watts idle;                            // P0: power with a context and nothing to do, at 50 °C
  Watts deep_idle;                       // power without a context, at 50 °C
  double core_watts_per_mhz = 0.0;       // alpha: power of the cores per MHz at the lowest voltage
  double memory_watts_per_mhz = 0.0;
  // Power that the clocks cost, whether or not a kernel runs. On a board with constant voltage, lower core clocks save
  // energy only because of these terms.
  double core_clocking_watts_per_mhz = 0.0;
  double memory_clocking_watts_per_mhz = 0.0;
  double voltage_slope = 0.0;   // beta: rise of the voltage per MHz
  Megahertz voltage_threshold;  // tau: the voltage is lowest at clocks up to this one
  Volts lowest_voltage{0.7};    // voltage at clocks up to tau
  PowerLimits limits;
  std::vector<SensorModel> sensors;
  bool locks_memory = true;  // true if its memory clock can be locked
  double gain = 1.0;         // gain of its sensors: they show gain * truth + offset
  Watts offset = {};
  Celsius ambient{30.0};
  Celsius at_limit{80.0};                // temperature at which the board settles under its usual limit
  Nanoseconds thermal_time{60e9};        // time in which the distance to the settled temperature falls to 1/e
  Nanoseconds least_lock_latency{10e6};  // least time until a lock takes effect; the actual time is drawn for each lock
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

// Returns the power at each clock under a load that fills the cores. It holds at 50 °C and without a power limit.
model::PowerCurve power_curve(const BoardModel& model);
// Returns the power that these clocks cost while nothing runs, in addition to P0.
Watts clocking_power(const BoardModel& model, Megahertz graphics, Megahertz memory);
// Returns the power P = min(limit, P0 * (1 + 0.003 * (T - 50)) + clocking + core load + memory load). The core load is
// the core's activity times the part that power_curve() adds to P0. The memory load is linear in the memory's clock,
// since its voltage is constant. This is equation 2 of Schoonhoven et al. 2022, with leakage that grows with the
// temperature.
Watts power_at(const BoardModel& model, const Operation& operation, const Activity& activity, Celsius temperature);
// Returns the power that power_at() would return without a limit.
Watts wanted_power(const BoardModel& model, const Operation& operation, const Activity& activity, Celsius temperature);
// Returns the highest clock of the table, up to the requested one, at which the power stays within the limit. Returns
// the lowest clock if no clock does.
Megahertz clock_under_load(const BoardModel& model, const Operation& operation, const Activity& activity,
                           Celsius temperature);
// Returns the one of these clocks that is nearest to `clock`.
Megahertz nearest_clock(const std::vector<Megahertz>& clocks, Megahertz clock);
// Returns the thermal resistance, in kelvin per watt.
double thermal_resistance(const BoardModel& model);

}  // namespace wattune::simulate
