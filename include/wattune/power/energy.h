// Measures the energy of a launch: measure() runs a Load repeatedly, long enough for the sensors of its board, and
// divides the recorded energy by the number of launches (docs/power.md). counted(), integrate() and mean_power()
// compute the energy of a time from recorded sensors. Each figure comes with a bound on its error.
//
// One thread measures; the recorder is started and stopped by the calls. All times are on the recorder's clock.
// Functions of traces are pure, and any thread may call them. No bound covers a sensor's calibration. Bounds refer to
// the count of an ideal sensor with the same gain.
//
//   const power::EnergyOptions options{.window = power::kReportedWindow};
//   WATTUNE_ASSIGN(const power::EnergyFigures figures, power::measure(*recorder, load, options));
//   use(figures.energy.value, figures.energy.uncertainty);
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "wattune/core/export.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"
#include "wattune/power/recorder.h"

namespace wattune::inline v0_1::power {

// The energy that a counter counted between two of its publications. The energy is exact. The moment of a publication
// lies between the reading that first showed it and the reading before. It is known to half of the time between these
// two readings.
struct WATTUNE_EXPORT CountedSpan {
  Joules energy;
  Measured<Nanoseconds> begin;
  Measured<Nanoseconds> end;

  Nanoseconds time() const { return end.value - begin.value; }
  // Returns the uncertainty of the span's length.
  Nanoseconds time_uncertainty() const { return begin.uncertainty + end.uncertainty; }
  // Returns the mean power; W = J/s.
  Measured<Watts> power() const;
};

// Returns the energy from the first publication after `from` to the last until `to`, each moved back by the counter's
// lag. `wraps_at` gives the joules at which a counter wraps; if it is given, a counter that falls has wrapped. Fails
// with unavailable if the counter was reset, if it stands still, or if the time from `from` to `to` has fewer than two
// publications.
WATTUNE_EXPORT Result<CountedSpan> between_publications(const Trace<Joules>& counter, Nanoseconds from, Nanoseconds to,
                                                        std::optional<Joules> wraps_at = {});

// Estimates the energy of a span of time whose ends may lie between publications. If an end lies in an interval between
// two publications, the power is assumed to change once in this interval. It changes from the power of the interval
// before to that of the interval after. The bound covers every moment of the change. Fails as between_publications()
// does, and with unavailable if no publication is at or before `begin`, or at or after `end`.
WATTUNE_EXPORT Result<Measured<Joules>> counted(const Trace<Joules>& counter, Nanoseconds begin, Nanoseconds end,
                                                std::optional<Joules> wraps_at = {});

// Integrates a power sensor's readings. Each reading counts at the middle of the time that it averages: half a window
// and the lag before its publication. Readings before `begin`, such as those of a starting ramp, do not count.
//
// For a sensor with a time constant C the result is E = integral(P) + C * (P(end) - P(begin)), the integral of P + C *
// dP/dt, Guerreiro's equation 6. The bound, of about 95 %, takes the differences of successive readings for chance. It
// does not cover a load that repeats with the sensor's period if the sensor sees only a part of it. Fails with
// unavailable if there is no reading before `end`.
WATTUNE_EXPORT Result<Measured<Joules>> integrate(const Trace<Watts>& power, Nanoseconds begin, Nanoseconds end);

// Returns the mean power of a time: its energy divided by its length, in W. Fails as integrate() does.
WATTUNE_EXPORT Result<Measured<Watts>> mean_power(const Trace<Watts>& power, Nanoseconds begin, Nanoseconds end);

// Least times between the ends of a measuring window, by the purpose of the figures.
inline constexpr Nanoseconds kScreeningWindow = nanoseconds_from_seconds(1);  // to leave out much worse candidates
inline constexpr Nanoseconds kFinalistWindow = nanoseconds_from_seconds(5);   // to choose among the best
inline constexpr Nanoseconds kReportedWindow = nanoseconds_from_seconds(10);  // for figures that are published

// The treatment of a launch's set-up in the launch's energy.
enum class SetUp {
  none,        // there is no set-up
  subtracted,  // the set-up was measured by a window of its own and subtracted
  included,    // the set-up cannot run alone, or its energy cannot be separated
};

WATTUNE_EXPORT const char* to_string(SetUp set_up);

// The work whose energy is measured.
class WATTUNE_EXPORT Load {
 public:
  // A number of launches and the time that they took.
  struct Batch {
    std::size_t launches = 0;
    Nanoseconds begin;
    Nanoseconds end;
  };

  virtual ~Load() = default;
  // Runs this many launches back to back, each with its set-up. Returns when the last has ended. Fails as a device
  // does.
  virtual Result<Batch> run(std::size_t launches) = 0;
  // Returns whether a launch has a set-up, such as restoring what it overwrote. It is `subtracted` if the set-up can
  // run alone.
  virtual SetUp set_up() const { return SetUp::none; }
  // Runs the set-up of this many launches, without the launches. Precondition: it can run alone.
  virtual Result<Batch> run_set_up(std::size_t launches) { return run(launches); }
};

// The energy and time of one launch, or of one set-up.
struct WATTUNE_EXPORT Cost {
  Measured<Joules> energy;
  Nanoseconds time;
};

// The options of one measurement.
struct WATTUNE_EXPORT EnergyOptions {
  Nanoseconds window = kScreeningWindow;              // least time from one end of a window to the other
  Nanoseconds budget = nanoseconds_from_seconds(60);  // longest time of all windows, including waits between them
  std::size_t windows = 1;  // largest number of windows, if the precision is not reached before
  double precision = 0.01;  // half of the windows' 95 % interval, as a share; needs three windows
  std::optional<Measured<Watts>> context_idle = {};  // power of the board with a context and nothing to do
  std::optional<Cost> set_up = {};                   // cost of the set-up, if an earlier measurement showed it
  std::optional<Nanoseconds> launch_time = {};       // time of one launch, known from an earlier timing
  std::optional<Megahertz> clock = {};               // the clock that was requested, if clocks are set
  // The highest energy of interest. A window ends early, after at least three publications, once a launch surely takes
  // more. This rule does not apply if a launch is longer than half the time that a sensor averages, nor if an unknown
  // set-up is to be subtracted.
  std::optional<Joules> most_energy = {};
};

// The state of the board during a window.
struct WATTUNE_EXPORT BoardConditions {
  std::optional<Megahertz> clock;         // median of the clock during the window
  std::optional<Megahertz> lowest_clock;  // fifth percentile of the clock
  double throttled = 0.0;                 // share of readings at which power or heat held the clock down
  bool throttled_before = false;
  bool throttled_after = false;
  std::optional<Celsius> temperature_before;
  std::optional<Celsius> temperature_after;
  std::optional<Celsius> lowest_temperature;  // range of the temperature; it includes the two values above
  std::optional<Celsius> highest_temperature;
  std::optional<Volts> voltage;

  bool operator==(const BoardConditions&) const = default;
};

// Numbers of windows that were rejected for these reasons and run again if the budget allowed.
struct WATTUNE_EXPORT RejectedWindows {
  std::size_t clock = 0;        // the clock was not the requested one
  std::size_t throttled = 0;    // power or heat held the clock down, but not in the windows before
  std::size_t temperature = 0;  // the temperature differed from that of the other windows
  // True if there was no time to replace the last rejected window, so that the figures are those of a rejected window.
  bool used = false;

  std::size_t count() const { return clock + throttled + temperature; }
  bool operator==(const RejectedWindows&) const = default;
};

// The result of one measurement.
struct WATTUNE_EXPORT EnergyFigures {
  Measured<Joules> energy;                  // energy of the board for one launch
  Measured<Watts> power;                    // power of the board while the launch ran
  std::optional<Measured<Joules>> dynamic;  // energy of one launch beyond context_idle, if that is known
  Nanoseconds time;                         // time of one launch
  SetUp set_up = SetUp::none;               // if it is subtracted, the figures above exclude it
  std::optional<Cost> set_up_cost;          // cost of the set-up, if it was measured
  // The extra time of a launch, beyond EnergyOptions::launch_time, and half of the energy of an idle board in that
  // time. Either the device waited for the next launch, or the launch was slower than when it was timed. So `energy`
  // and `time` leave out half of this extra, and all bounds cover both cases.
  std::optional<Cost> gap;
  std::string sensor;                  // the sensor that was used
  std::optional<double> disagreement;  // integrated power over the counter, less 1; empty with one sensor
  bool phased = false;                 // true if launches began at different phases of the sensor's period
  std::size_t windows = 0;
  std::optional<double> spread;  // half of the windows' 95 % interval, as a share; needs three windows
  Nanoseconds took;              // time of all windows, including waits between them
  BoardConditions conditions;    // conditions of the last window, but with the range of temperature of all windows
  RejectedWindows rejected;
  // The excess of a launch's energy at the end of the last window over the window's mean, as a share. The excess is
  // that of a straight line through the power. It is empty unless the temperature changed by more than a degree.
  std::optional<double> drift = {};
  // Length of the last window if it ended early, because a launch takes more than EnergyOptions::most_energy.
  std::optional<Nanoseconds> ended_after;

  // True if the counter and the power sensor disagree by more than 3 %. In that case the energy cannot be trusted.
  bool disagrees() const;
};

// Measures with the board's counter, between two of its publications, and checks it against the integral of a power
// sensor. Uses the power sensor alone if there is no counter. The figures are medians over the windows. Fails with
// unavailable if no sensor covers the board alone, or if the counter stands still or was reset. Fails with
// invalid_argument if a window would take longer than the budget, otherwise with the load's errors (device_lost).
WATTUNE_EXPORT Result<EnergyFigures> measure(Recorder& recorder, Load& load, const EnergyOptions& options = {});

// Measures the power of the board while nothing runs on it, in a window of a second. The power includes that of a
// context if the caller has one. Fails as measure() does.
WATTUNE_EXPORT Result<Measured<Watts>> measure_idle(Recorder& recorder);

}  // namespace wattune::power
