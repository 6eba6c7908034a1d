// Sensor: something that tells of a board as a whole: its power, its energy, its temperature, its voltage.
//
// Sensors know boards, nothing of kernels or devices. Whoever opened a Board (board.h) owns it and its sensors; one
// thread at a time uses a sensor, but different sensors of a board may be used by different threads. Reading may take
// milliseconds, so whoever launches kernels leaves it to a Recorder (recorder.h). Nothing is ever set.
//
//   WATTUNE_ASSIGN(const power::Reading<Watts> reading, sensor->read());
//   use(reading.value, reading.at);
#pragma once

#include <optional>
#include <string>

#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::power {

// What was read, and when: on the clock of its Recorder, which on real boards is the host's steady clock.
template <typename T>
struct Reading {
  Nanoseconds at;
  T value;

  bool operator==(const Reading&) const = default;
};

// A figure, and by how much the truth may lie above or below it.
template <typename T>
struct Measured {
  T value;
  T uncertainty;

  bool operator==(const Measured&) const = default;
};

// Of what a sensor tells.
enum class Scope {
  gpu,     // the board of one GPU
  module,  // a module on which other chips sit too (Grace Hopper)
  memory,  // the memory of a board alone
};

// How what is read follows what is.
enum class Response {
  counter,  // joules since some time before, published now and then
  boxcar,   // the mean of a window, published now and then
  lag,      // follows with a time constant, as a capacitor would (paper 000, equation 6)
  direct,   // shows what is
};

// What is known of a sensor's behaviour. Characterisation measures it; until then it is assumed from what the field has
// published of boards of its kind.
struct SensorTraits {
  Response response = Response::boxcar;
  Nanoseconds period;         // between two changes of what it shows
  Nanoseconds window;         // of a boxcar: what a reading is the mean of
  Nanoseconds lag;            // from the end of that window to its publication
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
  // unavailable: it cannot be read (any more), saying why. device_lost.
  virtual Result<Reading<T>> read() = 0;
};

using PowerSensor = Sensor<Watts>;
// Joules since some time before; only differences mean something. It may be reset, to less than before.
using EnergyCounter = Sensor<Joules>;
using Thermometer = Sensor<Celsius>;
using Voltmeter = Sensor<Volts>;

}  // namespace wattune::power
