// Sensors of a simulated board, presented like those of a real one: a power::Board and a recorder in virtual time.
//
// The simulated board outlives the power::Board and the recorder. One thread lets the time of the board pass and reads
// the sensors.
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

// Returns sensors named "simulated.power.instant" and so on. Their traits, such as the period, are the simulated
// board's own; nothing is estimated.
power::Board sensors_of(simulate::SimulatedBoard& board);

// Returns a recorder that reads each sensor of `sensors` four times in its period, at intervals from 2 to 25 ms, while
// the time of `board` passes. Its wait() lets time pass.
std::unique_ptr<power::Recorder> make_recorder(simulate::SimulatedBoard& board, power::Board& sensors);

}  // namespace wattune::emulation
