// Energy of a launch: something runs again and again, long enough for the sensors of its board, and what they recorded
// is divided by how often it ran (docs/power.md). Each figure has a bound of its error.
//
// One thread measures; the recorder is started and stopped by the calls. All times are on the recorder's clock.
//
//   WATTUNE_ASSIGN(const power::EnergyFigures figures, power::measure(*recorder, load, {.window = power::kReported}));
//   use(figures.energy.value, figures.energy.uncertainty);
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "wattune/core/result.h"
#include "wattune/core/units.h"
#include "wattune/power/integrate.h"
#include "wattune/power/recorder.h"

namespace wattune::power {

// The least time between the ends of a window, by what its figures are for.
inline constexpr Nanoseconds kScreening = nanoseconds_from_seconds(1);  // to leave out what is much worse
inline constexpr Nanoseconds kFinalist = nanoseconds_from_seconds(5);   // to choose among the best
inline constexpr Nanoseconds kReported = nanoseconds_from_seconds(10);  // to be quoted

// How far the set-up of a launch is part of its energy.
enum class SetUp {
  none,        // there is none
  subtracted,  // measured by a window of its own
  included,    // it cannot run alone, or cannot be told from the whole
};

const char* to_string(SetUp set_up);

// What runs.
class Load {
 public:
  // When a batch was under way.
  struct Batch {
    std::size_t launches = 0;
    Nanoseconds begin;
    Nanoseconds end;
  };

  virtual ~Load() = default;
  // So many launches back to back, each with its set-up; returns when the last has ended. Fails as a device does.
  virtual Result<Batch> run(std::size_t launches) = 0;
  // Whether a launch has a set-up, such as restoring what it overwrote, and whether that can run alone (subtracted).
  virtual SetUp set_up() const { return SetUp::none; }
  // The set-up of so many launches, without them. Precondition: it can run alone.
  virtual Result<Batch> run_set_up(std::size_t launches) { return run(launches); }
};

// Of one launch, or of one set-up.
struct Cost {
  Measured<Joules> energy;
  Nanoseconds time;
};

struct EnergyOptions {
  Nanoseconds window = kScreening;                    // at least, from one end to the other
  Nanoseconds budget = nanoseconds_from_seconds(60);  // for all windows, with what they need around them
  std::size_t windows = 1;                            // at most, where the precision is not reached before
  double precision = 0.01;                            // half of the windows' 95 % interval, as a share; from three on
  std::optional<Measured<Watts>> context_idle = {};   // what the board draws with a context and nothing to do
  std::optional<Cost> set_up = {};                    // known from an earlier measurement
  std::optional<Nanoseconds> launch_time = {};        // of one launch, as it was timed
  std::optional<Megahertz> clock = {};                // that was asked for, where clocks are set
  // More is of no interest: a window ends as soon as it is sure that a launch takes more, after three publications at
  // the earliest. Not where a launch fills half of what a sensor sees at once, nor where a set-up is to be subtracted
  // that is not known yet.
  std::optional<Joules> most_energy = {};
};

// What the board was like.
struct BoardConditions {
  std::optional<Megahertz> clock;         // the median during the window
  std::optional<Megahertz> lowest_clock;  // the fifth percentile
  double throttled = 0.0;                 // share of the readings at which power or heat held the clock down
  bool throttled_before = false;
  bool throttled_after = false;
  std::optional<Celsius> temperature_before;
  std::optional<Celsius> temperature_after;
  std::optional<Celsius> lowest_temperature;  // with these two among them
  std::optional<Celsius> highest_temperature;
  std::optional<Volts> voltage;

  bool operator==(const BoardConditions&) const = default;
};

// Windows that were not taken for what they showed, and run again as far as the budget went.
struct RejectedWindows {
  std::size_t clock = 0;        // it was off what was asked for
  std::size_t throttled = 0;    // power or heat held it down, which they had not done before
  std::size_t temperature = 0;  // it was not alike
  // The last one had no successor: the figures are those of windows that should not count.
  bool used = false;

  std::size_t count() const { return clock + throttled + temperature; }
  bool operator==(const RejectedWindows&) const = default;
};

struct EnergyFigures {
  Measured<Joules> energy;                  // of the board for one launch
  Measured<Watts> power;                    // of the board while it ran
  std::optional<Measured<Joules>> dynamic;  // of one launch beyond context_idle, where that is known
  Nanoseconds time;                         // of one launch
  SetUp set_up = SetUp::none;               // all of the above leave it out if it is subtracted
  std::optional<Cost> set_up_cost;          // where it was measured
  // Time of each launch beyond EnergyOptions::launch_time, and half of what the board draws meanwhile with
  // nothing to do. Energy and time leave out half of it, and all bounds cover both ends: either the device waited for
  // the next launch, or the launches were slower than they were timed.
  std::optional<Cost> gap;
  std::string sensor;                  // that told
  std::optional<double> disagreement;  // of integrated power with the counter, as a share; none: one sensor alone
  bool phased = false;                 // launches began at phases of the sensor's period
  std::size_t windows = 0;
  double spread = 0.0;         // half of the windows' 95 % interval, as a share; 0 of one window
  Nanoseconds took;            // all windows with what was around them
  BoardConditions conditions;  // of the last window
  RejectedWindows rejected;
  // How long the last window was, where it showed early that a launch takes more than EnergyOptions::most_energy.
  std::optional<Nanoseconds> ended_after;

  // Beyond 3 %, in which case the figure is not to be trusted.
  bool disagrees() const;
};

// Measures by the board's counter, between two of its publications, and checks it against the integral of a power
// sensor; by the power sensor alone where there is no counter. The figures are medians over the windows. unavailable:
// no sensor tells of the board alone; the counter stands still or was reset; invalid_argument: a window would take
// longer than the budget. Else as the load fails (device_lost).
Result<EnergyFigures> measure(Recorder& recorder, Load& load, const EnergyOptions& options = {});

// What the board draws while nothing runs on it, in a window of a second: with a context where the caller has one.
Result<Measured<Watts>> measure_idle(Recorder& recorder);

}  // namespace wattune::power
