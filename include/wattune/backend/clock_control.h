// ClockControl: the clocks and the power limit of a board, borrowed for a run.
//
// Owned by its Device; one thread at a time. It lives in the process of the one who opened the device, not in the
// worker: kernels kill workers, and the clocks must outlive them. Nothing is set before set(); what was set is restored
// by restore() and by the end of the object. A process that is killed restores nothing: docs/backend.md.
//
//   WATTUNE_ASSIGN(backend::ClockControl* const control, device->clock_control());
//   WATTUNE_TRY(control->set({.graphics = Megahertz(1410), .power_limit = Watts(300)}));
//   WATTUNE_TRY(control->restore());
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::backend {

// What is empty is as the board has it when nobody sets it.
struct BoardSetting {
  std::optional<Megahertz> graphics = {};
  std::optional<Megahertz> memory = {};
  std::optional<Watts> power_limit = {};

  bool operator==(const BoardSetting&) const = default;
};

// The legal graphics clocks depend on that of the memory.
struct MemoryClock {
  Megahertz memory;
  std::vector<Megahertz> graphics;
};

struct PowerRange {
  Watts least;
  Watts most;
};

// What a board can be set to; empty where it does not tell.
struct BoardChoices {
  std::vector<MemoryClock> clocks;
  std::optional<PowerRange> power_limit;
};

class ClockControl {
 public:
  virtual ~ClockControl() = default;
  // Where the board is on the PCI bus, as open_clock_control() takes it.
  virtual const std::string& board() const = 0;
  virtual Result<BoardChoices> choices() = 0;
  // Sets this, and restores what was set before and is empty now. invalid_argument: the board has no such clock or
  // limit. unavailable: not permitted, or not on this board at all.
  virtual Result<void> set(const BoardSetting& setting) = 0;
  // What the board says that it runs at now.
  virtual Result<BoardSetting> current() = 0;
  // Gives back what was set, in the order of clocks, memory, limit. The first Error, after all was tried.
  virtual Result<void> restore() = 0;
};

// Of the board at this place of the PCI bus ("0000:3B:00.0"), through NVML in this process. unavailable: no NVML, no
// such board, or a library that drives real boards, whose clocks are left alone.
Result<std::unique_ptr<ClockControl>> open_clock_control(const std::string& pci_bus_id);

}  // namespace wattune::backend
