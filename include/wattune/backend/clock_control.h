// ClockControl: the clocks and the power limit of a board, borrowed for a run.
//
// Its Device owns it; one thread at a time uses it. It lives in the process that opened the device, not in the worker,
// because kernels kill workers and the clocks must outlive them. Nothing is set before set(). restore() and the
// destructor restore all that was set. A killed process restores nothing: see docs/backend.md.
//
//   WATTUNE_ASSIGN(backend::ClockControl* const control, device->clock_control());
//   WATTUNE_TRY(control->set({.graphics = Megahertz(1410), .power_limit = Watts(300)}));
//   WATTUNE_TRY(control->restore());
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "wattune/core/export.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::backend {

// The clocks and the power limit to set. An empty value stands for the board's own setting.
struct WATTUNE_EXPORT BoardSetting {
  std::optional<Megahertz> graphics = {};
  std::optional<Megahertz> memory = {};
  std::optional<Watts> power_limit = {};

  bool operator==(const BoardSetting&) const = default;
};

// A memory clock with the graphics clocks that are legal at it.
struct WATTUNE_EXPORT MemoryClock {
  Megahertz memory;
  std::vector<Megahertz> graphics;
};

// The least and the most power limit that a board accepts.
struct WATTUNE_EXPORT PowerRange {
  Watts least;
  Watts most;
};

// The values that a board can be set to; empty if the board does not report them.
struct WATTUNE_EXPORT BoardChoices {
  std::vector<MemoryClock> clocks;
  std::optional<PowerRange> power_limit;
};

// The clocks and the power limit of one board.
class WATTUNE_EXPORT ClockControl {
 public:
  virtual ~ClockControl() = default;
  // Returns the place of the board on the PCI bus, in the form that open_clock_control() takes.
  virtual const std::string& board() const = 0;
  // Returns the values that the board can be set to. With NVML the call never fails: values that cannot be read are
  // left out.
  virtual Result<BoardChoices> choices() = 0;
  // Sets these values. If a value is empty that an earlier call set, the board's own setting is restored. Fails with
  // invalid_argument if the board has no such clock or limit, with unavailable if setting is not permitted or this
  // board cannot do it.
  virtual Result<void> set(const BoardSetting& setting) = 0;
  // Returns the clocks and the limit that the board reports now. A value that cannot be read is empty.
  virtual Result<BoardSetting> current() = 0;
  // Restores all that was set, in the order clocks, memory, limit. Continues after an error, and returns the first
  // Error at the end.
  virtual Result<void> restore() = 0;
};

// Opens the board at this place of the PCI bus ("0000:3B:00.0") through NVML in this process. Fails with unavailable if
// there is no NVML or no such board. Fails with unavailable, too, if NVML drives real boards: power::borrow_clocks()
// sets their clocks, with a guardian that restores them.
WATTUNE_EXPORT Result<std::unique_ptr<ClockControl>> open_clock_control(const std::string& pci_bus_id);

}  // namespace wattune::backend
