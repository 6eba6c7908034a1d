// BoardState holds all properties of a simulated board that change. It is a plain value, and all zeros before its first
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
  double now;          // time in ns
  double energy;       // energy in J
  double temperature;  // temperature in °C
  Activity activity;
  bool loaded;
  bool context;
  double locked;   // lock that is in effect now, in MHz; 0 for no lock
  double ordered;  // lock that will be in effect after its latency, in MHz
  double order_obeyed_at;
  bool order_pending;
  std::uint64_t orders;
  double memory_locked;  // lock of the memory clock in MHz; 0 for no lock
  double limit;          // power limit in W; 0 for the usual limit
  double clock;          // current clock in MHz
  bool capped;
  bool lost;
  EnergyHistory history;
  SensorState sensors[kSensors];
};

}  // namespace wattune::simulate
