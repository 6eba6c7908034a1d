#include "backend/interface/nvml_sensors.h"

namespace wattune::inline v0_1::backend::nvml {

namespace {

// The reasons for a clock that is lower than it could be which count as throttling. Idleness and a user's own limit do
// not count.
constexpr unsigned long long kThrottling =
    nvmlClocksEventReasonSwPowerCap | nvmlClocksThrottleReasonHwSlowdown | nvmlClocksEventReasonSwThermalSlowdown |
    nvmlClocksThrottleReasonHwThermalSlowdown | nvmlClocksThrottleReasonHwPowerBrakeSlowdown;

nvmlReturn_t read_reasons(const NvmlApi& nvml, nvmlDevice_t device, unsigned long long& bits) {
  const nvmlReturn_t code = call(nvml.nvmlDeviceGetCurrentClocksEventReasons, device, &bits);
  if (code != NVML_ERROR_FUNCTION_NOT_FOUND) return code;
  return call(nvml.nvmlDeviceGetCurrentClocksThrottleReasons, device, &bits);
}

}  // namespace

Result<NvmlSensors::Board> NvmlSensors::find(const std::string& pci_bus_id) {
  WATTUNE_ASSIGN(const NvmlApi* nvml, nvml_api());
  WATTUNE_ASSIGN(nvmlDevice_t device, nvml_board(*nvml, pci_bus_id));
  return Board{nvml, device};
}

Result<void> NvmlSensors::check() const {
  if (!board_) return board_.error();
  if (names().empty()) return Error(ErrorCode::unavailable, "NVML tells nothing of this board");
  return {};
}

Conditions NvmlSensors::conditions() const {
  Conditions conditions;
  if (!board_) return conditions;
  unsigned megahertz = 0;
  if (call(board_->nvml->nvmlDeviceGetClockInfo, board_->device, NVML_CLOCK_SM, &megahertz) == NVML_SUCCESS)
    conditions.clock = Megahertz(megahertz);
  unsigned long long reasons = 0;
  if (read_reasons(*board_->nvml, board_->device, reasons) == NVML_SUCCESS)
    conditions.throttled = (reasons & kThrottling) != 0;
  return conditions;
}

SensorReadings NvmlSensors::readings() const {
  SensorReadings readings{.conditions = conditions()};
  if (!board_) return readings;
  const auto& [nvml, device] = *board_;
  unsigned number = 0;
  unsigned long long millijoules = 0;
  if (call(nvml->nvmlDeviceGetPowerUsage, device, &number) == NVML_SUCCESS) readings.power = Watts(number / 1e3);
  if (call(nvml->nvmlDeviceGetTotalEnergyConsumption, device, &millijoules) == NVML_SUCCESS)
    readings.energy = Joules(static_cast<double>(millijoules) / 1e3);
  if (call(nvml->nvmlDeviceGetTemperature, device, NVML_TEMPERATURE_GPU, &number) == NVML_SUCCESS)
    readings.temperature = Celsius(number);
  return readings;
}

std::vector<std::string> NvmlSensors::names() const {
  const SensorReadings now = readings();
  std::vector<std::string> names;
  if (now.conditions.clock) names.emplace_back("clock");
  if (now.conditions.throttled) names.emplace_back("throttling");
  if (now.power) names.emplace_back("power");
  if (now.energy) names.emplace_back("energy");
  if (now.temperature) names.emplace_back("temperature");
  return names;
}

}  // namespace wattune::backend::nvml
