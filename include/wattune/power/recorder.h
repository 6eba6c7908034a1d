// Recorder: what the sensors of a board show while something runs, read outside the launch path.
//
// One thread starts and stops a Recorder. On real boards its own threads read; for a simulated board, in whose time
// nothing passes unless it is told so, it reads when time passes.
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

// What one sensor showed: the changes, each at the first reading that showed it, and the very first reading. Between
// `since` and `at` of a change it happened.
template <typename T>
struct Change {
  Nanoseconds since;  // the last reading before; of the first reading: its own time
  Nanoseconds at;
  T value;
};

template <typename T>
struct Trace {
  SensorInfo sensor;
  std::vector<Change<T>> changes;

  // What was read, which may have changed as soon as the sensor was asked the time before.
  void note(const Reading<T>& reading, Nanoseconds asked_before) {
    if (changes.empty())
      changes.push_back({reading.at, reading.at, reading.value});
    else if (changes.back().value != reading.value)
      changes.push_back({asked_before, reading.at, reading.value});
  }
};

// How often a recorder reads a sensor: four times in its period, as often as a reading of 2 ms allows. Heat and voltage
// follow slowly enough for once.
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
  std::vector<std::string> failures;  // of sensors that stopped telling, one line each
};

class Recorder {
 public:
  virtual ~Recorder() = default;
  // The clock on which all readings are. On real boards std::chrono::steady_clock, which workers share.
  virtual Nanoseconds now() const = 0;
  // Lets this time pass.
  virtual void wait(Nanoseconds time) = 0;
  // unavailable: no sensor tells anything. Precondition: it is not started.
  virtual Result<void> start() = 0;
  // What was read so far; it goes on recording.
  virtual Result<Recording> so_far() = 0;
  virtual Result<Recording> stop() = 0;
  // What the board draws with a context and nothing to do, at clocks of its own; none: it was not characterised.
  virtual std::optional<Measured<Watts>> context_idle() const { return std::nullopt; }
};

}  // namespace wattune::power
