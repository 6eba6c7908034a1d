// BoardState holds everything of a simulated board that changes. It is a plain value, and all zeros before its first
// use, so that processes can share one through a file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simulate/energy_history.h"
#include "simulate/sensor_state.h"

namespace wattune::inline v0_1::simulate {

struct BoardState {
  static constexpr std::size_t kSensors = 6;

  bool made;
  std::uint64_t seed;
  double now;          // ns
  double energy;       // J
  double temperature;  // °C
  Activity activity;
  bool loaded;
  bool context;
  double locked;   // MHz, 0 for no lock; in effect now
  double ordered;  // MHz, the lock that will be in effect after its latency
  double order_obeyed_at;
  bool order_pending;
  std::uint64_t orders;
  double memory_locked;  // MHz, 0 for no lock
  double limit;          // W, 0 for the usual limit
  double clock;          // MHz, the current clock
  bool capped;
  bool lost;
  EnergyHistory history;
  SensorState sensors[kSensors];
};

}  // namespace wattune::simulate
