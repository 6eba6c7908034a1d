// Recorder reads the sensors of a board while something runs, outside the launch path.
//
// One thread starts and stops a Recorder. On real boards the recorder's own threads read. For a simulated board, whose
// time passes only when a call lets it, it reads when time passes.
//
//   WATTUNE_TRY(recorder->start());
//   run_kernels();
//   WATTUNE_ASSIGN(const power::Recording recording, recorder->stop());
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wattune/backend/sensors.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"
#include "wattune/power/sensor.h"

namespace wattune::power {

// A change of what one sensor shows, noted at the first reading that showed it; the very first reading counts as one.
// It happened between `since` and `at`.
template <typename T>
struct Change {
  Nanoseconds since;  // the last reading before; its own time for the first reading
  Nanoseconds at;
  T value;
};

template <typename T>
struct Trace {
  SensorInfo sensor;
  std::vector<Change<T>> changes;

  // Adds a reading. It may have changed as soon as the sensor was asked the time before.
  void note(const Reading<T>& reading, Nanoseconds asked_before) {
    if (changes.empty())
      changes.push_back({reading.at, reading.at, reading.value});
    else if (changes.back().value != reading.value)
      changes.push_back({asked_before, reading.at, reading.value});
  }
};

// Returns the interval at which a recorder reads a sensor: a quarter of its period, from 2 to 25 ms. Direct sensors,
// such as those of heat and voltage, are read once in their period.
Nanoseconds reading_interval(const SensorTraits& traits);

struct Recording {
  Nanoseconds begin;
  Nanoseconds end;
  std::vector<Trace<Joules>> energy;
  std::vector<Trace<Watts>> power;
  std::vector<Trace<Celsius>> temperature;
  std::vector<Trace<Volts>> voltage;
  // Clock, and whether something held it down, in the order of time.
  std::vector<Reading<backend::Conditions>> conditions;
  std::vector<std::string> failures;  // one line for each sensor that stopped reporting
};

class Recorder {
 public:
  virtual ~Recorder() = default;
  // Returns the time on the clock of all readings. On real boards it is std::chrono::steady_clock, which workers share.
  virtual Nanoseconds now() const = 0;
  // Lets this time pass.
  virtual void wait(Nanoseconds time) = 0;
  // Starts reading. Fails with unavailable if no sensor reports anything. Precondition: it is not started.
  virtual Result<void> start() = 0;
  // Returns what was read so far; recording goes on.
  virtual Result<Recording> so_far() = 0;
  virtual Result<Recording> stop() = 0;
  // Returns the board's power with a context and nothing to do, at its own clocks; nullopt if it was not characterised.
  virtual std::optional<Measured<Watts>> context_idle() const { return std::nullopt; }
};

}  // namespace wattune::power
