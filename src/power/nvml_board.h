// Boards that NVML knows. The library is an argument, so that tests bring one of their own. Nothing is ever set.
#pragma once

#include <string>

#include "backend/nvml/nvml_api.h"
#include "wattune/power/board.h"

namespace wattune::power {

// By PCI bus id or UUID. unavailable: NVML does not know it, or the name is that of an instance (MIG).
Result<backend::nvml::nvmlDevice_t> find_nvml_board(const backend::nvml::NvmlApi& nvml, const std::string& name);

// Precondition: the library outlives the Board. `name` is for messages and for what NVML does not tell.
Result<Board> open_nvml_board(const backend::nvml::NvmlApi& nvml, backend::nvml::nvmlDevice_t device,
                              const std::string& name);

// All boards.
BoardsFound find_nvml_boards(const backend::nvml::NvmlApi& nvml);

}  // namespace wattune::power
