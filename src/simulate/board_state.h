// BoardState: all that changes of a simulated board. A plain value of zeros before its first use, so that processes can
// share one through a file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simulate/energy_history.h"
#include "simulate/sensor_state.h"

namespace wattune::simulate {

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
  double locked;   // MHz, 0: not; obeyed
  double ordered;  // what will be obeyed
  double order_obeyed_at;
  bool order_pending;
  std::uint64_t orders;
  double memory_locked;  // MHz, 0: not
  double limit;          // W, 0: the usual one
  double clock;          // MHz: what it runs at
  bool capped;
  bool lost;
  EnergyHistory history;
  SensorState sensors[kSensors];
};

}  // namespace wattune::simulate
