// SensorState is the internal state of a board's sensor, with the rules by which it publishes readings.
#pragma once

#include <cstdint>

#include "simulate/energy_history.h"
#include "simulate/interface/board_model.h"

namespace wattune::inline v0_1::simulate {

// A plain value, because processes share boards through a file.
struct SensorState {
  double phase;           // ns: publications come this long after a multiple of the period
  std::int64_t number;    // of the last publication; 0 before the first
  double published;       // ns: time of the last publication
  double value;           // W or J of the true signal
  double shown;           // the reading, as distorted by the sensor
  double followed;        // W: state of a lag
  double followed_until;  // ns
  double origin;          // J: start of a counter
  bool frozen;
};

// The facts of a board that publishing needs.
struct Surroundings {
  const BoardModel& model;
  const EnergyHistory& history;
  std::uint64_t seed;
};

// Returns the state at the moment `start`, when the board drew `power`.
SensorState new_sensor(const SensorModel& sensor, const Surroundings& board, std::uint64_t place, Watts power);

// Lets time pass until `now`. The power was constant since the last call, and the history knows it.
void publish(SensorState& state, const SensorModel& sensor, const Surroundings& board, Watts power, Nanoseconds now);

}  // namespace wattune::simulate
