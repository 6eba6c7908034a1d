// Opens boards through NVML. The library is an argument, so that tests can pass their own. No setting is ever changed.
#pragma once

#include <string>

#include "backend/interface/nvml_api.h"
#include "wattune/power/board.h"

namespace wattune::inline v0_1::power {

// Finds a board by PCI bus id or UUID. Fails with unavailable if NVML does not know it, or if the name is that of an
// instance (MIG).
Result<backend::nvml::nvmlDevice_t> find_nvml_board(const backend::nvml::NvmlApi& nvml, const std::string& name);

// Opens the board. `name` is used in messages, and in place of ids that NVML does not report. The library must outlive
// the Board.
Result<Board> open_nvml_board(const backend::nvml::NvmlApi& nvml, backend::nvml::nvmlDevice_t device,
                              const std::string& name);

// Opens all boards that NVML counts.
BoardsFound find_nvml_boards(const backend::nvml::NvmlApi& nvml);

}  // namespace wattune::power
