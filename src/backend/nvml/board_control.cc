#include "backend/interface/board_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace wattune::inline v0_1::backend::nvml {

namespace {

constexpr const char* kPermission =
    "clocks and limits may be set by root, or with CAP_SYS_ADMIN (in a container: --cap-add SYS_ADMIN); without that, "
    "leave the spec's clock parameters out or tune at the board's current clocks";

unsigned in_mhz(Megahertz clock) { return static_cast<unsigned>(std::lround(clock.value())); }
unsigned in_mw(Watts power) { return static_cast<unsigned>(std::lround(power.value() * 1e3)); }

Result<void> checked(nvmlReturn_t code, const std::string& doing) {
  if (code == NVML_SUCCESS) return {};
  const bool value = code == NVML_ERROR_INVALID_ARGUMENT;
  const Error error(value ? ErrorCode::invalid_argument : ErrorCode::unavailable,
                    fmt::format("{}: {}", doing, nvml_reason(code)));
  return code == NVML_ERROR_NO_PERMISSION ? Error(error).hint(kPermission) : error;
}

// Tells whether NVML's result means that the board was not changed.
bool changed_nothing(nvmlReturn_t code) {
  return code == NVML_ERROR_NO_PERMISSION || code == NVML_ERROR_NOT_SUPPORTED ||
         code == NVML_ERROR_FUNCTION_NOT_FOUND || code == NVML_ERROR_INVALID_ARGUMENT;
}

// Calls `set` and notes `before` as a value to restore, unless the board refused the change.
template <typename Owed, typename Set>
nvmlReturn_t set_owing(Owed& owed, const Owed& before, Set set) {
  const Owed so_far = owed;
  if (owed == Owed()) owed = before;
  const nvmlReturn_t code = set();
  if (changed_nothing(code)) owed = so_far;
  return code;
}

Result<void> check_memory(const BoardChoices& choices, Megahertz clock) {
  if (std::ranges::count(choices.clocks, clock, &MemoryClock::memory) > 0) return {};
  return Error(ErrorCode::invalid_argument, fmt::format("the board has no memory clock of {:g} MHz", clock.value()));
}

Result<void> check_graphics(const BoardChoices& choices, const BoardSetting& setting) {
  const auto has_it = [&](const MemoryClock& row) {
    return (!setting.memory || row.memory == *setting.memory) && std::ranges::count(row.graphics, *setting.graphics);
  };
  if (std::ranges::any_of(choices.clocks, has_it)) return {};
  const std::string with = setting.memory ? fmt::format(" with {:g} MHz of memory", setting.memory->value()) : "";
  return Error(ErrorCode::invalid_argument,
               fmt::format("the board has no graphics clock of {:g} MHz{}", setting.graphics->value(), with));
}

Result<void> check_limit(const PowerRange& range, Watts limit) {
  if (limit >= range.least && limit <= range.most) return {};
  return Error(ErrorCode::invalid_argument, fmt::format("the board takes power limits from {:g} to {:g} W, not {:g}",
                                                        range.least.value(), range.most.value(), limit.value()));
}

Result<unsigned> read_limit(const KnownBoard& board) {
  unsigned milliwatts = 0;
  WATTUNE_TRY(checked(call(board.nvml->nvmlDeviceGetPowerManagementLimit, board.device, &milliwatts),
                      "reading the power limit"));
  return milliwatts;
}

}  // namespace

Result<BoardChoices> BoardControl::choices() {
  if (!choices_) choices_ = board_choices(known_);
  return *choices_;
}

Result<void> BoardControl::set(const BoardSetting& setting) {
  WATTUNE_TRY(debt_after(setting));
  WATTUNE_TRY(setting.memory ? set_memory(setting) : unlock_memory());
  WATTUNE_TRY(setting.graphics ? set_graphics(setting) : unlock_graphics());
  if (!setting.memory && !setting.graphics) WATTUNE_TRY(restore_application());
  return setting.power_limit ? set_limit(in_mw(*setting.power_limit)) : restore_limit();
}

Result<void> BoardControl::restore() {
  const Result<void> all[] = {unlock_graphics(), unlock_memory(), restore_application(), restore_limit()};
  for (const Result<void>& each : all) WATTUNE_TRY(each);
  return {};
}

Result<BoardDebt> BoardControl::debt_after(const BoardSetting& setting) {
  WATTUNE_TRY(check(setting));
  BoardDebt debt = debt_;
  if (setting.memory) WATTUNE_TRY(owe_clocks(memory_means(known_), &BoardDebt::memory_lock, "memory", debt));
  if (setting.graphics) WATTUNE_TRY(owe_clocks(graphics_means(known_), &BoardDebt::graphics_lock, "graphics", debt));
  if (!setting.power_limit || debt.limit_mw) return debt;
  WATTUNE_ASSIGN(debt.limit_mw, read_limit(known_));
  return debt;
}

// Checks that the board has these clocks and this limit. If the board lacked a clock, NVML would set the nearest one
// instead of the requested one.
Result<void> BoardControl::check(const BoardSetting& setting) {
  WATTUNE_ASSIGN(const BoardChoices choices, this->choices());
  if (!choices.clocks.empty() && setting.memory) WATTUNE_TRY(check_memory(choices, *setting.memory));
  if (!choices.clocks.empty() && setting.graphics) WATTUNE_TRY(check_graphics(choices, setting));
  if (!choices.power_limit || !setting.power_limit) return {};
  return check_limit(*choices.power_limit, *setting.power_limit);
}

Result<void> BoardControl::owe_clocks(ClockMeans means, bool BoardDebt::*lock, const char* what,
                                      BoardDebt& debt) const {
  if (means == ClockMeans::none)
    return Error(ErrorCode::unavailable, fmt::format("the {} clock of this board cannot be set", what))
        .hint("leave its parameter out of the spec, or tune at the board's current clocks");
  if (means == ClockMeans::locked) debt.*lock = true;
  if (means == ClockMeans::application && !debt.application) debt.application = application_clocks(known_);
  return {};
}

Result<void> BoardControl::set_memory(const BoardSetting& setting) {
  if (memory_means(known_) != ClockMeans::locked) return set_application(setting);
  const unsigned clock = in_mhz(*setting.memory);
  const auto lock = [&] { return call(known_.nvml->nvmlDeviceSetMemoryLockedClocks, known_.device, clock, clock); };
  return checked(set_owing(debt_.memory_lock, true, lock), "setting the memory clock");
}

Result<void> BoardControl::set_graphics(const BoardSetting& setting) {
  if (graphics_means(known_) != ClockMeans::locked) return set_application(setting);
  const unsigned clock = in_mhz(*setting.graphics);
  const auto lock = [&] { return call(known_.nvml->nvmlDeviceSetGpuLockedClocks, known_.device, clock, clock); };
  return checked(set_owing(debt_.graphics_lock, true, lock), "setting the graphics clock");
}

// Sets both application clocks at once, because NVML requires that. A clock that is not requested gets its value from
// before the first setting.
Result<void> BoardControl::set_application(const BoardSetting& setting) {
  const std::optional<ApplicationClocks> now = application_clocks(known_);
  if (!now) return Error(ErrorCode::unavailable, "the application clocks of this board cannot be read");
  const ApplicationClocks before = debt_.application.value_or(*now);
  const unsigned memory = setting.memory ? in_mhz(*setting.memory) : before.memory;
  const unsigned graphics = setting.graphics ? in_mhz(*setting.graphics) : before.graphics;
  const auto set = [&] { return call(known_.nvml->nvmlDeviceSetApplicationsClocks, known_.device, memory, graphics); };
  return checked(set_owing(debt_.application, now, set), "setting the application clocks");
}

Result<void> BoardControl::set_limit(unsigned milliwatts) {
  WATTUNE_ASSIGN(const unsigned before, read_limit(known_));
  const auto set = [&] { return call(known_.nvml->nvmlDeviceSetPowerManagementLimit, known_.device, milliwatts); };
  return checked(set_owing(debt_.limit_mw, std::optional(before), set), "setting the power limit");
}

Result<void> BoardControl::unlock_graphics() {
  if (!debt_.graphics_lock) return {};
  WATTUNE_TRY(
      checked(call(known_.nvml->nvmlDeviceResetGpuLockedClocks, known_.device), "resetting the graphics clock"));
  debt_.graphics_lock = false;
  return {};
}

Result<void> BoardControl::unlock_memory() {
  if (!debt_.memory_lock) return {};
  WATTUNE_TRY(
      checked(call(known_.nvml->nvmlDeviceResetMemoryLockedClocks, known_.device), "resetting the memory clock"));
  debt_.memory_lock = false;
  return {};
}

// Restores the application clocks. If the former clocks were the defaults, the clocks are reset, so that the driver
// continues to choose them.
Result<void> BoardControl::restore_application() {
  if (!debt_.application) return {};
  const auto& [memory, graphics] = *debt_.application;
  const bool chosen = debt_.application != default_application_clocks(known_);
  const nvmlReturn_t code = chosen ? call(known_.nvml->nvmlDeviceSetApplicationsClocks, known_.device, memory, graphics)
                                   : call(known_.nvml->nvmlDeviceResetApplicationsClocks, known_.device);
  WATTUNE_TRY(checked(code, "restoring the application clocks"));
  if (application_clocks(known_) != debt_.application)
    return Error(ErrorCode::unavailable, "the application clocks were restored, but the board does not say so");
  debt_.application.reset();
  return {};
}

Result<void> BoardControl::restore_limit() {
  if (!debt_.limit_mw) return {};
  WATTUNE_TRY(checked(call(known_.nvml->nvmlDeviceSetPowerManagementLimit, known_.device, *debt_.limit_mw),
                      "restoring the power limit"));
  WATTUNE_ASSIGN(const unsigned now, read_limit(known_));
  if (now != *debt_.limit_mw)
    return Error(ErrorCode::unavailable, fmt::format("the power limit was restored to {:g} W, but the board says {:g}",
                                                     *debt_.limit_mw / 1e3, now / 1e3));
  debt_.limit_mw.reset();
  return {};
}

Result<std::unique_ptr<BoardControl>> open_board_control(const std::string& pci_bus_id, const BoardDebt& debt) {
  WATTUNE_ASSIGN(const KnownBoard board, find_board(pci_bus_id));
  return std::make_unique<BoardControl>(board, pci_bus_id, debt);
}

}  // namespace wattune::backend::nvml
