// What NVML tells of a board's clocks, limits and how they can be set. Nothing here sets anything.
#pragma once

#include <optional>
#include <string>

#include "backend/nvml/nvml_api.h"
#include "wattune/backend/clock_control.h"

namespace wattune::backend::nvml {

// A board and the library that knows it, both of the whole process.
struct KnownBoard {
  const NvmlApi* nvml;
  nvmlDevice_t device;
};

// By its place on the PCI bus. unavailable.
Result<KnownBoard> find_board(const std::string& pci_bus_id);

BoardChoices board_choices(const KnownBoard& board);
// What it says that it runs at. An idle board may say less than it is set to.
BoardSetting board_setting(const KnownBoard& board);

// Its UUID; where NVML does not tell, its place on the bus.
std::string board_uuid(const KnownBoard& board, const std::string& pci_bus_id);

// How a clock can be set at all, whoever may: locked to a value, as an application clock, or in no way. Locks exist for
// the graphics clock from Volta on, for the memory clock from Ampere on.
enum class ClockMeans { locked, application, none };
ClockMeans graphics_means(const KnownBoard& board);
ClockMeans memory_means(const KnownBoard& board);

struct ApplicationClocks {
  unsigned memory;    // MHz
  unsigned graphics;  // MHz

  bool operator==(const ApplicationClocks&) const = default;
};
// None where the board has no such clocks.
std::optional<ApplicationClocks> application_clocks(const KnownBoard& board);
std::optional<ApplicationClocks> default_application_clocks(const KnownBoard& board);

}  // namespace wattune::backend::nvml
