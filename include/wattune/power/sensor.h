// Sensor is something that reports on a board as a whole: its power, its energy, its temperature or its voltage.
//
// Sensors know boards, not kernels or devices. The owner of a Board (board.h) owns its sensors. One thread at a time
// uses a sensor, but different threads may use different sensors of a board. Reading may take milliseconds, so a thread
// that launches kernels leaves it to a Recorder (recorder.h). Sensors never set anything.
//
//   WATTUNE_ASSIGN(const power::Reading<Watts> reading, sensor->read());
//   use(reading.value, reading.at);
#pragma once

#include <optional>
#include <string>

#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::power {

// A value and the time of its reading, on the clock of its Recorder. On real boards that is the host's steady clock.
template <typename T>
struct Reading {
  Nanoseconds at;
  T value;

  bool operator==(const Reading&) const = default;
};

// A figure, and the most by which the truth lies above or below it.
template <typename T>
struct Measured {
  T value;
  T uncertainty;

  bool operator==(const Measured&) const = default;
};

// The part of a machine that a sensor covers.
enum class Scope {
  gpu,     // the board of one GPU
  module,  // a module that has other chips, too (Grace Hopper)
  memory,  // only the memory of a board
};

// The way in which readings follow the true value.
enum class Response {
  counter,  // joules since an unknown earlier time, published periodically
  boxcar,   // mean of a window, published periodically
  lag,      // follows with a time constant, like a capacitor (paper 000, equation 6)
  direct,   // shows the current value
};

// The behaviour of a sensor. Characterisation measures it; until then it is assumed from publications about boards of
// its kind.
struct SensorTraits {
  Response response = Response::boxcar;
  Nanoseconds period;         // between two changes of its readings
  Nanoseconds window;         // of a boxcar: the time that a reading averages
  Nanoseconds lag;            // from the end of the window to its publication
  Nanoseconds time_constant;  // of `lag`: C in paper 000's equation 6
  double noise = 0.0;         // standard deviation of readings of a constant, as a share of it
  bool measured = false;      // on this very board; else assumed

  bool operator==(const SensorTraits&) const = default;
};

const char* to_string(Scope scope);
const char* to_string(Response response);

struct SensorInfo {
  std::string name;  // "nvml.power.instant": library, quantity, kind; unique on a board
  Scope scope = Scope::gpu;
  SensorTraits traits;
};

template <typename T>
class Sensor {
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

}  // namespace wattune::power
