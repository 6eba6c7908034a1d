// SensorState: what a board's own electronics keep of a sensor, and how they publish what it shows.
#pragma once

#include <cstdint>

#include "simulate/energy_history.h"
#include "wattune/simulate/board_model.h"

namespace wattune::simulate {

// A plain value, because processes share boards through a file.
struct SensorState {
  double phase;           // ns: publications are this much after a multiple of the period
  std::int64_t number;    // of the last publication; none yet: 0
  double published;       // ns: when that was
  double value;           // W or J, of the true signal
  double shown;           // what it shows of that
  double followed;        // W: what a lag has come to
  double followed_until;  // ns
  double origin;          // J: what a counter began from
  bool frozen;
};

// What publishing needs to know of its board.
struct Surroundings {
  const BoardModel& model;
  const EnergyHistory& history;
  std::uint64_t seed;
};

// The state at the moment `start`, when the board drew `power`.
SensorState new_sensor(const SensorModel& sensor, const Surroundings& board, std::uint64_t place, Watts power);

// Time passes until `now`, from where it was told last; the power since then was constant. The history knows it.
void publish(SensorState& state, const SensorModel& sensor, const Surroundings& board, Watts power, Nanoseconds now);

}  // namespace wattune::simulate
