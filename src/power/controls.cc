#include "power/interface/controls.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <sstream>

#include "backend/interface/board_reading.h"

namespace wattune::inline v0_1::power {

namespace {

using backend::nvml::ClockMeans;
using backend::nvml::KnownBoard;
using namespace backend::nvml;  // NVML's own names

constexpr const char* kRights =
    "run as root or with CAP_SYS_ADMIN (in a container: --cap-add SYS_ADMIN, and no user namespace)";

bool this_is_administrator() {
  std::ifstream status("/proc/self/status");
  std::ifstream uid_map("/proc/self/uid_map");
  return is_administrator(status, uid_map);
}

// True if the driver lets everybody set application clocks (nvidia-smi -acp 0).
bool application_clocks_are_free(const KnownBoard& board) {
  int restricted = NVML_FEATURE_ENABLED;
  const nvmlReturn_t code = call(board.nvml->nvmlDeviceGetAPIRestriction, board.device,
                                 NVML_RESTRICTED_API_SET_APPLICATION_CLOCKS, &restricted);
  return code == NVML_SUCCESS && restricted == NVML_FEATURE_DISABLED;
}

bool has_limit(const KnownBoard& board) {
  unsigned least = 0;
  unsigned most = 0;
  return board.nvml->nvmlDeviceSetPowerManagementLimit != nullptr &&
         call(board.nvml->nvmlDeviceGetPowerManagementLimitConstraints, board.device, &least, &most) == NVML_SUCCESS;
}

std::vector<Control> controls_of(const KnownBoard& board) {
  // A stand-in for NVML (in tests) has no driver that demands rights.
  const std::string lacks = !board.nvml->drives_real_boards || this_is_administrator() ? "" : kRights;
  const bool free = lacks.empty() || application_clocks_are_free(board);
  const bool application = board.nvml->nvmlDeviceSetApplicationsClocks != nullptr && application_clocks(board);
  return {{ControlKind::locked_graphics_clock, graphics_means(board) == ClockMeans::locked, lacks},
          {ControlKind::locked_memory_clock, memory_means(board) == ClockMeans::locked, lacks},
          {ControlKind::application_clocks, application,
           free ? ""
                  ""
                : fmt::format("{}, or nvidia-smi -acp 0", kRights)},
          {ControlKind::power_limit, has_limit(board), lacks}};
}

const Control& find(const std::vector<Control>& controls, ControlKind kind) {
  return controls.at(static_cast<std::size_t>(kind));
}

// Returns the control that sets a clock: the lock if the board has one, otherwise the application clocks.
const Control& means_of(const std::vector<Control>& controls, ControlKind lock) {
  const Control& locked = find(controls, lock);
  return locked.exists ? locked : find(controls, ControlKind::application_clocks);
}

Result<void> check(const Control& control, const std::string& what, const std::string& board) {
  if (control.usable()) return {};
  if (!control.exists)
    return Error(ErrorCode::unavailable, fmt::format("the {} of the board {} cannot be set", what, board))
        .hint("tune at the board's current clocks");
  return Error(ErrorCode::unavailable, fmt::format("this process may not set the {} of the board {}", what, board))
      .hint(control.lacks + "; or tune at the board's current clocks");
}

// Returns the text that follows `name` in the first line that begins with it.
std::string field(std::istream& lines, const std::string& name) {
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(name)) return line.substr(name.size());
  return {};
}

}  // namespace

const char* to_string(ControlKind kind) {
  switch (kind) {
    case ControlKind::locked_graphics_clock: return "locked graphics clock";
    case ControlKind::locked_memory_clock: return "locked memory clock";
    case ControlKind::application_clocks: return "application clocks";
    case ControlKind::power_limit: return "power limit";
  }
  return "unknown";
}

Result<std::vector<Control>> find_controls(const std::string& pci_bus_id) {
  WATTUNE_ASSIGN(const KnownBoard board, find_board(pci_bus_id));
  return controls_of(board);
}

Result<backend::BoardChoices> find_choices(const std::string& pci_bus_id) {
  WATTUNE_ASSIGN(const KnownBoard board, find_board(pci_bus_id));
  return board_choices(board);
}

Result<backend::BoardSetting> find_setting(const std::string& pci_bus_id) {
  WATTUNE_ASSIGN(const KnownBoard board, find_board(pci_bus_id));
  return board_setting(board);
}

Result<std::optional<Megahertz>> find_default_clock(const std::string& pci_bus_id) {
  WATTUNE_ASSIGN(const KnownBoard board, find_board(pci_bus_id));
  const auto clocks = backend::nvml::default_application_clocks(board);
  return clocks ? std::optional(Megahertz(clocks->graphics)) : std::nullopt;
}

Result<void> check_permission(const std::string& pci_bus_id, const backend::BoardSetting& wanted) {
  WATTUNE_ASSIGN(const std::vector<Control> all, find_controls(pci_bus_id));
  if (wanted.graphics)
    WATTUNE_TRY(check(means_of(all, ControlKind::locked_graphics_clock), "graphics clock", pci_bus_id));
  if (wanted.memory) WATTUNE_TRY(check(means_of(all, ControlKind::locked_memory_clock), "memory clock", pci_bus_id));
  if (wanted.power_limit) WATTUNE_TRY(check(find(all, ControlKind::power_limit), "power limit", pci_bus_id));
  return {};
}

bool is_administrator(std::istream& status, std::istream& uid_map) {
  constexpr int kSysAdmin = 21;  // CAP_SYS_ADMIN of capabilities(7)
  std::istringstream effective(field(status, "CapEff:"));
  std::uint64_t capabilities = 0;
  effective >> std::hex >> capabilities;
  // In the first namespace, the map is "0 0 4294967295": every user has the same number inside and outside.
  std::uint64_t inside = 1;
  std::uint64_t outside = 1;
  std::uint64_t count = 0;
  uid_map >> inside >> outside >> count;
  const bool first_namespace = inside == 0 && outside == 0 && count == 0xffffffffu;
  return first_namespace && (capabilities >> kSysAdmin & 1) != 0;
}

}  // namespace wattune::power
