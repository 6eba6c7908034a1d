// The networks by which a session chooses pairs and clocks, from a file or trained.
#pragma once

#include <optional>
#include <string>

#include "schedule/interface/board_networks.h"
#include "wattune/core/result.h"
#include "wattune/schedule/session.h"
#include "wattune/simulate/gpu_model.h"

namespace wattune::inline v0_1::schedule {

// Returns the networks of the board as `options.networks` asks; nullopt if they do not decide. Reads them from the file
// if it exists. Otherwise they learn from the recordings, or from the simulated GPU if there is one, and are kept in
// the file if one is named. Fails with unavailable if there is nothing to learn from, with already_exists if recordings
// are given though the file exists, and with errors of files, recordings and training.
Result<std::optional<BoardNetworks>> networks_of(const CorunOptions& options, const std::string& board,
                                                 const simulate::GpuModel* simulated);

// Returns the choice of clocks, with those of the networks if it names none.
ClockChoice with_clocks_of(const std::optional<BoardNetworks>& networks, ClockChoice choice);

}  // namespace wattune::schedule
