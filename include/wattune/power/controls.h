// Controls: what of a board can be set, and what this process lacks to set it. Found by reading, never by setting.
//
// Plain values; any thread may call.
//
//   WATTUNE_ASSIGN(const auto controls, power::find_controls("0000:3B:00.0"));
//   for (const power::Control& control : controls) print(to_string(control.kind), control.exists, control.lacks);
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "wattune/backend/clock_control.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::power {

enum class ControlKind { locked_graphics_clock, locked_memory_clock, application_clocks, power_limit };

const char* to_string(ControlKind kind);

struct Control {
  ControlKind kind;
  bool exists = false;  // on this board, with this driver
  std::string lacks;    // what an administrator can do, where this process may not set it; empty: it may

  bool usable() const { return exists && lacks.empty(); }
  bool operator==(const Control&) const = default;
};

// One of each kind. unavailable: no NVML, or no such board.
Result<std::vector<Control>> find_controls(const std::string& pci_bus_id);
// Which clocks and limits the board has, and at which it says that it runs. As find_controls().
Result<backend::BoardChoices> find_choices(const std::string& pci_bus_id);
Result<backend::BoardSetting> find_setting(const std::string& pci_bus_id);
// The graphics clock at which the vendor lets applications run: the default application clock. None: the board has no
// application clocks. As find_controls().
Result<std::optional<Megahertz>> find_default_clock(const std::string& pci_bus_id);

// unavailable, in one line: this process may not set, or the board does not have, what `wanted` has a value for.
Result<void> check_permission(const std::string& pci_bus_id, const backend::BoardSetting& wanted);

// Whether a process may do what drivers leave to administrators, as its proc(5) `status` and `uid_map` say: it has
// CAP_SYS_ADMIN, and in the namespace of users that the machine started with, which is the one that drivers ask about.
bool is_administrator(std::istream& status, std::istream& uid_map);

}  // namespace wattune::power
