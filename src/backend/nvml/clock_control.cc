// Clocks and the power limit of a board through NVML: the one place that calls what sets.
#include "wattune/backend/clock_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "backend/nvml/nvml_api.h"

namespace wattune::backend {

namespace nvml {
namespace {

constexpr const char* kPermission =
    "clocks and limits may be set by root, or with CAP_SYS_ADMIN (in a container: --cap-add SYS_ADMIN); without that, "
    "leave the spec's clock parameters out";

unsigned in_mhz(Megahertz clock) { return static_cast<unsigned>(std::lround(clock.value())); }
unsigned in_mw(Watts power) { return static_cast<unsigned>(std::lround(power.value() * 1e3)); }
Watts from_mw(unsigned milliwatts) { return Watts(milliwatts / 1e3); }

Result<void> checked(nvmlReturn_t code, const std::string& doing) {
  if (code == NVML_SUCCESS) return {};
  const bool value = code == NVML_ERROR_INVALID_ARGUMENT;
  const Error error(value ? ErrorCode::invalid_argument : ErrorCode::unavailable,
                    fmt::format("{}: {}", doing, nvml_reason(code)));
  return code == NVML_ERROR_NO_PERMISSION ? Error(error).hint(kPermission) : error;
}

class NvmlClockControl : public ClockControl {
 public:
  NvmlClockControl(const NvmlApi& nvml, nvmlDevice_t device, std::string board)
      : nvml_(nvml), device_(device), board_(std::move(board)) {}
  NvmlClockControl(const NvmlClockControl&) = delete;
  NvmlClockControl& operator=(const NvmlClockControl&) = delete;
  ~NvmlClockControl() override { (void)restore(); }

  const std::string& board() const override { return board_; }

  Result<BoardChoices> choices() override {
    if (!choices_) choices_ = read_choices();
    return *choices_;
  }

  Result<void> set(const BoardSetting& setting) override {
    WATTUNE_TRY(check(setting));
    WATTUNE_TRY(setting.memory ? lock_memory(*setting.memory) : unlock_memory());
    WATTUNE_TRY(setting.graphics ? lock_graphics(*setting.graphics) : unlock_graphics());
    return setting.power_limit ? set_limit(*setting.power_limit) : restore_limit();
  }

  Result<BoardSetting> current() override {
    BoardSetting now;
    unsigned number = 0;
    if (call(nvml_.nvmlDeviceGetClockInfo, device_, NVML_CLOCK_GRAPHICS, &number) == NVML_SUCCESS)
      now.graphics = Megahertz(number);
    if (call(nvml_.nvmlDeviceGetClockInfo, device_, NVML_CLOCK_MEM, &number) == NVML_SUCCESS)
      now.memory = Megahertz(number);
    if (call(nvml_.nvmlDeviceGetPowerManagementLimit, device_, &number) == NVML_SUCCESS)
      now.power_limit = from_mw(number);
    return now;
  }

  Result<void> restore() override {
    const Result<void> all[] = {unlock_graphics(), unlock_memory(), restore_limit()};
    for (const Result<void>& each : all) WATTUNE_TRY(each);
    return {};
  }

 private:
  // NVML asks for room first.
  template <typename Ask>
  static std::vector<Megahertz> clocks_from(Ask ask) {
    unsigned count = 0;
    ask(&count, static_cast<unsigned*>(nullptr));
    std::vector<unsigned> numbers(count);
    if (count == 0 || ask(&count, numbers.data()) != NVML_SUCCESS) return {};
    std::vector<Megahertz> clocks;
    for (const unsigned number : numbers) clocks.emplace_back(number);
    return clocks;
  }

  BoardChoices read_choices() const {
    BoardChoices choices;
    const auto memory = [&](unsigned* count, unsigned* clocks) {
      return call(nvml_.nvmlDeviceGetSupportedMemoryClocks, device_, count, clocks);
    };
    for (const Megahertz clock : clocks_from(memory)) {
      const auto graphics = [&](unsigned* count, unsigned* clocks) {
        return call(nvml_.nvmlDeviceGetSupportedGraphicsClocks, device_, in_mhz(clock), count, clocks);
      };
      choices.clocks.push_back({clock, clocks_from(graphics)});
    }
    unsigned least = 0;
    unsigned most = 0;
    if (call(nvml_.nvmlDeviceGetPowerManagementLimitConstraints, device_, &least, &most) == NVML_SUCCESS)
      choices.power_limit = PowerRange{from_mw(least), from_mw(most)};
    return choices;
  }

  // NVML takes the nearest clock for one that is not there, which would be another than was asked for.
  Result<void> check(const BoardSetting& setting) {
    WATTUNE_ASSIGN(const BoardChoices choices, this->choices());
    if (!choices.clocks.empty() && setting.memory) WATTUNE_TRY(check_memory(choices, *setting.memory));
    if (!choices.clocks.empty() && setting.graphics) WATTUNE_TRY(check_graphics(choices, setting));
    if (!choices.power_limit || !setting.power_limit) return {};
    const auto& [least, most] = *choices.power_limit;
    if (*setting.power_limit >= least && *setting.power_limit <= most) return {};
    return Error(ErrorCode::invalid_argument, fmt::format("the board takes power limits from {:g} to {:g} W, not {:g}",
                                                          least.value(), most.value(), setting.power_limit->value()));
  }

  static Result<void> check_memory(const BoardChoices& choices, Megahertz clock) {
    if (std::ranges::count(choices.clocks, clock, &MemoryClock::memory) > 0) return {};
    return Error(ErrorCode::invalid_argument, fmt::format("the board has no memory clock of {:g} MHz", clock.value()));
  }

  static Result<void> check_graphics(const BoardChoices& choices, const BoardSetting& setting) {
    const auto has_it = [&](const MemoryClock& row) {
      return (!setting.memory || row.memory == *setting.memory) && std::ranges::count(row.graphics, *setting.graphics);
    };
    if (std::ranges::any_of(choices.clocks, has_it)) return {};
    const std::string with = setting.memory ? fmt::format(" with {:g} MHz of memory", setting.memory->value()) : "";
    return Error(ErrorCode::invalid_argument,
                 fmt::format("the board has no graphics clock of {:g} MHz{}", setting.graphics->value(), with));
  }

  Result<void> lock_graphics(Megahertz clock) {
    graphics_locked_ = true;  // whatever the answer: a lock that nobody made can be reset too
    return checked(call(nvml_.nvmlDeviceSetGpuLockedClocks, device_, in_mhz(clock), in_mhz(clock)),
                   "setting the graphics clock");
  }
  Result<void> unlock_graphics() {
    if (!std::exchange(graphics_locked_, false)) return {};
    return checked(call(nvml_.nvmlDeviceResetGpuLockedClocks, device_), "resetting the graphics clock");
  }
  Result<void> lock_memory(Megahertz clock) {
    memory_locked_ = true;
    return checked(call(nvml_.nvmlDeviceSetMemoryLockedClocks, device_, in_mhz(clock), in_mhz(clock)),
                   "setting the memory clock");
  }
  Result<void> unlock_memory() {
    if (!std::exchange(memory_locked_, false)) return {};
    return checked(call(nvml_.nvmlDeviceResetMemoryLockedClocks, device_), "resetting the memory clock");
  }
  Result<void> set_limit(Watts limit) {
    unsigned before = 0;
    if (!limit_before_) {
      WATTUNE_TRY(checked(call(nvml_.nvmlDeviceGetPowerManagementLimit, device_, &before), "reading the power limit"));
      limit_before_ = before;
    }
    return checked(call(nvml_.nvmlDeviceSetPowerManagementLimit, device_, in_mw(limit)), "setting the power limit");
  }
  Result<void> restore_limit() {
    const std::optional<unsigned> before = std::exchange(limit_before_, std::nullopt);
    if (!before) return {};
    return checked(call(nvml_.nvmlDeviceSetPowerManagementLimit, device_, *before), "restoring the power limit");
  }

  const NvmlApi& nvml_;
  const nvmlDevice_t device_;
  const std::string board_;
  std::optional<BoardChoices> choices_;
  bool graphics_locked_ = false;
  bool memory_locked_ = false;
  std::optional<unsigned> limit_before_;  // in mW; present while ours holds
};

}  // namespace
}  // namespace nvml

Result<std::unique_ptr<ClockControl>> open_clock_control(const std::string& pci_bus_id) {
  WATTUNE_ASSIGN(const nvml::NvmlApi* nvml, nvml::nvml_api());
  if (nvml->drives_real_boards)
    return Error(ErrorCode::unavailable, "clocks of real boards are not set: control of them comes with its guardian")
        .hint("leave clock parameters out of the spec, or set the clocks yourself before the run");
  WATTUNE_ASSIGN(nvml::nvmlDevice_t device, nvml::nvml_board(*nvml, pci_bus_id));
  return std::unique_ptr<ClockControl>(std::make_unique<nvml::NvmlClockControl>(*nvml, device, pci_bus_id));
}

}  // namespace wattune::backend
