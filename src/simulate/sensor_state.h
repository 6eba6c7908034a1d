// SensorState is the internal state of a board's sensor, with the rules by which it publishes readings.
#pragma once

#include <cstdint>

#include "simulate/energy_history.h"
#include "simulate/interface/board_model.h"

namespace wattune::inline v0_1::simulate {

// A plain value, because processes share boards through a file.
struct SensorState {
  double phase;           // ns; a publication comes this long after each multiple of the period
  std::int64_t number;    // of the last publication; 0 before the first
  double published;       // ns: time of the last publication
  double value;           // W or J of the true signal
  double shown;           // the reading, with the sensor's errors
  double followed;        // W; state of a sensor with a time constant
  double followed_until;  // ns
  double origin;          // J; value of the counter at the start
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

// Lets time pass until `now`, and publishes readings that are due. Precondition: the power was constant since the last
// call, and is in the history.
void publish(SensorState& state, const SensorModel& sensor, const Surroundings& board, Watts power, Nanoseconds now);

}  // namespace wattune::simulate
