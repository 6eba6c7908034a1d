// Controls are the settings that a board has. Each tells which right this process lacks for changing it. Finding them
// changes nothing.
//
// All types are plain values, and any thread may call the functions.
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

namespace wattune::inline v0_1::power {

// The kinds of settings.
enum class ControlKind { locked_graphics_clock, locked_memory_clock, application_clocks, power_limit };

const char* to_string(ControlKind kind);

// A setting of a board.
struct Control {
  ControlKind kind;
  bool exists = false;  // true if the setting exists on this board with this driver
  std::string lacks;    // the advice for an administrator if this process may not set it; empty if it may

  bool usable() const { return exists && lacks.empty(); }
  bool operator==(const Control&) const = default;
};

// Returns one control of each kind. Fails with unavailable if there is no NVML or no such board.
Result<std::vector<Control>> find_controls(const std::string& pci_bus_id);
// Returns the clocks and limits that the board has. Fails as find_controls() does.
Result<backend::BoardChoices> find_choices(const std::string& pci_bus_id);
// Returns the clocks and the limit at which the board reports to run. Fails as find_controls() does.
Result<backend::BoardSetting> find_setting(const std::string& pci_bus_id);
// Returns the default application clock: the graphics clock at which the vendor lets applications run. Returns nullopt
// if the board has no application clocks. Fails as find_controls() does.
Result<std::optional<Megahertz>> find_default_clock(const std::string& pci_bus_id);

// Checks the permission to set these values. Fails with unavailable, in one line, if `wanted` has a value that this
// process may not set or that the board does not have.
Result<void> check_permission(const std::string& pci_bus_id, const backend::BoardSetting& wanted);

// True if a process has the rights that drivers demand of administrators. Reads its files `status` and `uid_map` in
// /proc. The process needs CAP_SYS_ADMIN in the first user namespace of the machine, because drivers look for it there.
bool is_administrator(std::istream& status, std::istream& uid_map);

}  // namespace wattune::power
