// The sensors of a simulated board as those of any other: a power::Board made of them, and a recorder in virtual time.
//
// The simulated board outlives both; whoever lets its time pass and whoever reads are the same thread.
//
//   power::Board board = simulate::sensors_of(simulated);
//   const auto recorder = simulate::make_recorder(simulated, board);
//   WATTUNE_TRY(recorder->start());
#pragma once

#include <memory>

#include "wattune/core/result.h"
#include "wattune/power/board.h"
#include "wattune/power/recorder.h"
#include "wattune/simulate/simulated_board.h"

namespace wattune::simulate {

// Named "simulated.power.instant" and so on, with the traits that they have in truth.
power::Board sensors_of(SimulatedBoard& board);

// Reads each sensor of `sensors` four times in its period, but no more often than every 2 ms and no less than every 25,
// while the time of `board` passes. wait() lets it pass.
std::unique_ptr<power::Recorder> make_recorder(SimulatedBoard& board, power::Board& sensors);

}  // namespace wattune::simulate
