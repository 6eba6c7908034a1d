// Reads from NVML a board's clocks and limits, and how they can be set. These functions change nothing.
#pragma once

#include <optional>
#include <string>

#include "backend/interface/nvml_api.h"
#include "wattune/backend/clock_control.h"

namespace wattune::inline v0_1::backend::nvml {

// A board and the library that reports on it. Both live as long as the process.
struct KnownBoard {
  const NvmlApi* nvml;
  nvmlDevice_t device;
};

// Finds a board by its place on the PCI bus. Fails with unavailable.
Result<KnownBoard> find_board(const std::string& pci_bus_id);

// Returns the values that the board can be set to.
BoardChoices board_choices(const KnownBoard& board);
// Returns the clocks and the limit that the board reports. An idle board may report lower values than it is set to.
BoardSetting board_setting(const KnownBoard& board);

// Returns the board's UUID, or its place on the bus if NVML reports none.
std::string board_uuid(const KnownBoard& board, const std::string& pci_bus_id);

// The way in which a board's clock can be set: by a lock to a value, as an application clock, or not at all. Locks
// exist for the graphics clock from Volta on, for the memory clock from Ampere on.
enum class ClockMeans { locked, application, none };
ClockMeans graphics_means(const KnownBoard& board);
ClockMeans memory_means(const KnownBoard& board);

// The clocks at which a board runs applications unless they are locked.
struct ApplicationClocks {
  unsigned memory;    // memory clock in MHz
  unsigned graphics;  // graphics clock in MHz

  bool operator==(const ApplicationClocks&) const = default;
};
// Returns the application clocks that are set, or the vendor's default ones; nullopt if the board has none.
std::optional<ApplicationClocks> application_clocks(const KnownBoard& board);
std::optional<ApplicationClocks> default_application_clocks(const KnownBoard& board);

}  // namespace wattune::backend::nvml
