// Finds the networks by which a session chooses pairs and clocks. They come from a file or are trained.
#pragma once

#include <optional>
#include <string>

#include "schedule/interface/board_networks.h"
#include "wattune/core/result.h"
#include "wattune/schedule/session.h"
#include "wattune/simulate/gpu_model.h"

namespace wattune::inline v0_1::schedule {

// Returns the networks of the board that `options.networks` describes. Returns nullopt if networks are not to decide.
// Reads the networks from the file if it exists. Otherwise they learn from the recordings, or from the simulated GPU if
// there is one. Learned networks are written to the file if a file is named. Fails with unavailable if there is nothing
// to learn from, with already_exists if recordings are given though the file exists, and with errors of files,
// recordings and training.
Result<std::optional<BoardNetworks>> networks_of(const CorunOptions& options, const std::string& board,
                                                 const simulate::GpuModel* simulated);

// Returns the choice of clocks. If the choice names no clocks, adds those for which the networks were trained.
ClockChoice with_clocks_of(const std::optional<BoardNetworks>& networks, ClockChoice choice);

}  // namespace wattune::schedule
