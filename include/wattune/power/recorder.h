// Recorder reads the sensors of a board while something runs, outside the launch path, into a Recording. A Sensor
// reports on a board as a whole: its power, its energy, its temperature or its voltage. A Trace holds the changes of
// one sensor.
//
// Sensors know boards, not kernels or devices, and never set anything. The owner of a Board (board.h) owns its sensors.
// One thread at a time uses a sensor, but different threads may use different sensors of a board. Reading may take
// milliseconds, so a thread that launches kernels leaves it to a Recorder.
//
// One thread starts and stops a Recorder. On real boards the recorder's own threads read. The time of a simulated board
// passes only when a call lets it pass; then its recorder reads.
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
#include "wattune/core/export.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::power {

// A value and the time of its reading, on the clock of its Recorder. On real boards that is the host's steady clock.
template <typename T>
struct WATTUNE_EXPORT Reading {
  Nanoseconds at;
  T value;

  bool operator==(const Reading&) const = default;
};

// A figure, and a bound on its distance from the truth in either direction.
template <typename T>
struct WATTUNE_EXPORT Measured {
  T value;
  T uncertainty;

  bool operator==(const Measured&) const = default;
};

// The part of a machine that a sensor covers.
enum class Scope {
  gpu,     // the board of one GPU
  module,  // a module that has other chips besides the GPU (Grace Hopper)
  memory,  // only the memory of a board
};

// The way in which readings follow the true value.
enum class Response {
  counter,  // joules since an unknown earlier time, published periodically
  boxcar,   // mean of a window, published periodically
  lag,      // follows with a time constant, like a capacitor (Guerreiro et al. 2015, equation 6)
  direct,   // shows the current value
};

// The behaviour of a sensor. Characterisation measures it; until then it is assumed from publications about boards of
// its kind.
struct WATTUNE_EXPORT SensorTraits {
  Response response = Response::boxcar;
  Nanoseconds period;         // time between two changes of the readings
  Nanoseconds window;         // boxcar: the time that a reading averages
  Nanoseconds lag;            // time from the end of the window to the publication of its reading
  Nanoseconds time_constant;  // Response::lag: C in Guerreiro's equation 6
  double noise = 0.0;         // standard deviation of readings of a constant value, as a share of it
  bool measured = false;      // true if the traits were measured on this very board, false if they are assumed

  bool operator==(const SensorTraits&) const = default;
};

WATTUNE_EXPORT const char* to_string(Scope scope);
WATTUNE_EXPORT const char* to_string(Response response);

// The name, the scope and the behaviour of a sensor.
struct WATTUNE_EXPORT SensorInfo {
  std::string name;  // "nvml.power.instant": library, quantity, kind; unique on a board
  Scope scope = Scope::gpu;
  SensorTraits traits;
};

// A sensor of one quantity.
template <typename T>
class WATTUNE_EXPORT Sensor {
 public:
  virtual ~Sensor() = default;
  virtual const SensorInfo& info() const = 0;
  // Reads the sensor. Fails with unavailable, giving the reason, if it cannot be read (any more), or with device_lost.
  virtual Result<Reading<T>> read() = 0;
};

using PowerSensor = Sensor<Watts>;
// A counter of joules since an unknown earlier time. Only differences have a meaning, and a reset makes it fall.
using EnergyCounter = Sensor<Joules>;
using Thermometer = Sensor<Celsius>;
using Voltmeter = Sensor<Volts>;

// A change of a sensor's value, noted at the first reading that showed it; the very first reading counts as a change.
// The change happened between `since` and `at`.
template <typename T>
struct WATTUNE_EXPORT Change {
  Nanoseconds since;  // time of the last reading before the change; for the first reading, that reading's own time
  Nanoseconds at;
  T value;
};

// The changes of one sensor, in the order of time.
template <typename T>
struct WATTUNE_EXPORT Trace {
  SensorInfo sensor;
  std::vector<Change<T>> changes;

  // Adds a reading. A changed value may date from any moment after `asked_before`, the time at which the sensor was
  // asked for the previous reading.
  void note(const Reading<T>& reading, Nanoseconds asked_before) {
    if (changes.empty())
      changes.push_back({reading.at, reading.at, reading.value});
    else if (changes.back().value != reading.value)
      changes.push_back({asked_before, reading.at, reading.value});
  }
};

// Returns the interval at which a recorder reads a sensor: a quarter of its period, from 2 to 25 ms. Direct sensors,
// such as those of temperature and voltage, are read once in their period.
WATTUNE_EXPORT Nanoseconds reading_interval(const SensorTraits& traits);

// All that the sensors of a board showed between two moments.
struct WATTUNE_EXPORT Recording {
  Nanoseconds begin;
  Nanoseconds end;
  std::vector<Trace<Joules>> energy;
  std::vector<Trace<Watts>> power;
  std::vector<Trace<Celsius>> temperature;
  std::vector<Trace<Volts>> voltage;
  // Clock of the board, and whether power or heat held it down, in the order of time.
  std::vector<Reading<backend::Conditions>> conditions;
  std::vector<std::string> failures;  // one line for each sensor that stopped reporting
};

// A recorder of one board's sensors.
class WATTUNE_EXPORT Recorder {
 public:
  virtual ~Recorder() = default;
  // Returns the time on the clock of all readings. On real boards it is std::chrono::steady_clock, which workers share.
  virtual Nanoseconds now() const = 0;
  // Waits until this much time has passed; a simulated board's time advances by it.
  virtual void wait(Nanoseconds time) = 0;
  // Starts reading. Fails with unavailable if no sensor reports anything. Precondition: it is not started.
  virtual Result<void> start() = 0;
  // Returns what was read so far; recording continues. A sensor that stops reporting is no error: Recording::failures
  // names it.
  virtual Result<Recording> so_far() = 0;
  // Stops reading and returns what was read. Sensors that stopped reporting are in Recording::failures. Precondition:
  // reading was started.
  virtual Result<Recording> stop() = 0;
  // Returns the board's power with a context and nothing to do, while no clocks are set; nullopt if the board was not
  // characterised.
  virtual std::optional<Measured<Watts>> context_idle() const { return std::nullopt; }
};

}  // namespace wattune::power
