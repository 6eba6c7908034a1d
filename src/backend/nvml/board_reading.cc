#include "backend/interface/board_reading.h"

#include <cmath>
#include <vector>

namespace wattune::inline v0_1::backend::nvml {

namespace {

// NVML's numbers for architectures.
constexpr unsigned kVolta = 5;
constexpr unsigned kAmpere = 7;

// Returns a list of clocks. First asks NVML for the list's length.
template <typename Ask>
std::vector<Megahertz> clocks_from(Ask ask) {
  unsigned count = 0;
  ask(&count, static_cast<unsigned*>(nullptr));
  std::vector<unsigned> numbers(count);
  if (count == 0 || ask(&count, numbers.data()) != NVML_SUCCESS) return {};
  std::vector<Megahertz> clocks;
  for (const unsigned number : numbers) clocks.emplace_back(number);
  return clocks;
}

std::vector<Megahertz> graphics_clocks(const KnownBoard& board, Megahertz memory) {
  const auto megahertz = static_cast<unsigned>(std::lround(memory.value()));
  return clocks_from([&](unsigned* count, unsigned* clocks) {
    return call(board.nvml->nvmlDeviceGetSupportedGraphicsClocks, board.device, megahertz, count, clocks);
  });
}

std::optional<unsigned> clock_of(const KnownBoard& board, int type) {
  unsigned number = 0;
  if (call(board.nvml->nvmlDeviceGetClockInfo, board.device, type, &number) != NVML_SUCCESS) return std::nullopt;
  return number;
}

// True if the board's architecture is this one or a newer one. If NVML does not report the architecture, it counts as
// new.
bool is_since(const KnownBoard& board, unsigned architecture) {
  unsigned own = 0;
  const nvmlReturn_t code = call(board.nvml->nvmlDeviceGetArchitecture, board.device, &own);
  return code != NVML_SUCCESS || own >= architecture;
}

ClockMeans without_lock(const KnownBoard& board) {
  const bool can_set = board.nvml->nvmlDeviceSetApplicationsClocks != nullptr;
  return can_set && application_clocks(board) ? ClockMeans::application : ClockMeans::none;
}

using AskClock = nvmlReturn_t (*)(nvmlDevice_t, int, unsigned*);
std::optional<ApplicationClocks> both_clocks(const KnownBoard& board, AskClock ask) {
  ApplicationClocks clocks{};
  if (call(ask, board.device, NVML_CLOCK_MEM, &clocks.memory) != NVML_SUCCESS) return std::nullopt;
  if (call(ask, board.device, NVML_CLOCK_GRAPHICS, &clocks.graphics) != NVML_SUCCESS) return std::nullopt;
  return clocks;
}

}  // namespace

Result<KnownBoard> find_board(const std::string& pci_bus_id) {
  WATTUNE_ASSIGN(const NvmlApi* nvml, nvml_api());
  WATTUNE_ASSIGN(nvmlDevice_t device, nvml_board(*nvml, pci_bus_id));
  return KnownBoard{nvml, device};
}

BoardChoices board_choices(const KnownBoard& board) {
  BoardChoices choices;
  const auto memory = clocks_from([&](unsigned* count, unsigned* clocks) {
    return call(board.nvml->nvmlDeviceGetSupportedMemoryClocks, board.device, count, clocks);
  });
  for (const Megahertz clock : memory) choices.clocks.push_back({clock, graphics_clocks(board, clock)});
  unsigned least = 0;
  unsigned most = 0;
  if (call(board.nvml->nvmlDeviceGetPowerManagementLimitConstraints, board.device, &least, &most) == NVML_SUCCESS)
    choices.power_limit = PowerRange{Watts(least / 1e3), Watts(most / 1e3)};
  return choices;
}

BoardSetting board_setting(const KnownBoard& board) {
  BoardSetting now;
  if (const auto clock = clock_of(board, NVML_CLOCK_GRAPHICS)) now.graphics = Megahertz(*clock);
  if (const auto clock = clock_of(board, NVML_CLOCK_MEM)) now.memory = Megahertz(*clock);
  unsigned milliwatts = 0;
  if (call(board.nvml->nvmlDeviceGetPowerManagementLimit, board.device, &milliwatts) == NVML_SUCCESS)
    now.power_limit = Watts(milliwatts / 1e3);
  return now;
}

std::string board_uuid(const KnownBoard& board, const std::string& pci_bus_id) {
  char uuid[96] = "";
  if (call(board.nvml->nvmlDeviceGetUUID, board.device, uuid, unsigned{sizeof uuid}) != NVML_SUCCESS) return pci_bus_id;
  return uuid;
}

ClockMeans graphics_means(const KnownBoard& board) {
  const bool lockable = board.nvml->nvmlDeviceSetGpuLockedClocks != nullptr && is_since(board, kVolta);
  return lockable ? ClockMeans::locked : without_lock(board);
}

ClockMeans memory_means(const KnownBoard& board) {
  const bool lockable = board.nvml->nvmlDeviceSetMemoryLockedClocks != nullptr && is_since(board, kAmpere);
  return lockable ? ClockMeans::locked : without_lock(board);
}

std::optional<ApplicationClocks> application_clocks(const KnownBoard& board) {
  return both_clocks(board, board.nvml->nvmlDeviceGetApplicationsClock);
}

std::optional<ApplicationClocks> default_application_clocks(const KnownBoard& board) {
  return both_clocks(board, board.nvml->nvmlDeviceGetDefaultApplicationsClock);
}

}  // namespace wattune::backend::nvml
