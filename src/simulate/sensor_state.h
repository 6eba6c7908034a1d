// SensorState is the internal state of a board's sensor, with the rules by which it publishes readings.
#pragma once

#include <cstdint>

#include "simulate/energy_history.h"
#include "simulate/interface/board_model.h"

namespace wattune::inline v0_1::simulate {

// A plain value, because processes share boards through a file.
struct SensorState {
  double phase;           // in ns; a publication comes this long after each multiple of the period
  std::int64_t number;    // number of the last publication; 0 before the first
  double published;       // time of the last publication, in ns
  double value;           // value of the true signal at that time, in W or J
  double shown;           // the reading, with the sensor's errors
  double followed;        // state of a sensor with a time constant, in W
  double followed_until;  // moment up to which `followed` was computed, in ns
  double origin;          // value of the counter at the start, in J
  bool frozen;
};

// The facts about a board that are needed for publishing.
struct Surroundings {
  const BoardModel& model;
  const EnergyHistory& history;
  std::uint64_t seed;
};

// Returns the state at the moment `start`, when the board drew `power`.
SensorState new_sensor(const SensorModel& sensor, const Surroundings& board, std::uint64_t place, Watts power);

// Lets time pass until `now`, and publishes readings that are due. Precondition: the power has been constant since the
// last call, and is in the board's history.
void publish(SensorState& state, const SensorModel& sensor, const Surroundings& board, Watts power, Nanoseconds now);

}  // namespace wattune::simulate
