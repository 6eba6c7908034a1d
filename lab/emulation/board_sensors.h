// Sensors of a simulated board, presented like those of a real one: a power::Board and a recorder in virtual time.
//
// The simulated board outlives both. The same thread lets its time pass and reads its sensors.
//
//   power::Board board = emulation::sensors_of(simulated);
//   const auto recorder = emulation::make_recorder(simulated, board);
//   WATTUNE_TRY(recorder->start());
#pragma once

#include <memory>

#include "simulate/interface/simulated_board.h"
#include "wattune/core/result.h"
#include "wattune/power/board.h"
#include "wattune/power/recorder.h"

namespace wattune::emulation {

// Returns sensors named "simulated.power.instant" and so on. Their traits are the true ones.
power::Board sensors_of(simulate::SimulatedBoard& board);

// Returns a recorder that reads each sensor of `sensors` four times in its period, at intervals from 2 to 25 ms, while
// the time of `board` passes. Its wait() lets time pass.
std::unique_ptr<power::Recorder> make_recorder(simulate::SimulatedBoard& board, power::Board& sensors);

}  // namespace wattune::emulation
