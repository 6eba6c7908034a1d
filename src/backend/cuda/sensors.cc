#include "backend/cuda/sensors.h"

namespace wattune::backend::cuda {

namespace {

// Reasons that hold the clock below what the kernel could have; being idle or a user's own limit is none.
constexpr unsigned long long kThrottling =
    nvmlClocksEventReasonSwPowerCap | nvmlClocksThrottleReasonHwSlowdown | nvmlClocksEventReasonSwThermalSlowdown |
    nvmlClocksThrottleReasonHwThermalSlowdown | nvmlClocksThrottleReasonHwPowerBrakeSlowdown;

}  // namespace

Sensors::Sensors(const std::string& pci_bus_id) {
  const Result<const NvmlApi*> nvml = nvml_api();
  if (nvml && (*nvml)->nvmlDeviceGetHandleByPciBusId_v2(pci_bus_id.c_str(), &device_) == NVML_SUCCESS) nvml_ = *nvml;
}

Conditions Sensors::conditions() const {
  Conditions conditions;
  if (nvml_ == nullptr) return conditions;
  unsigned megahertz = 0;
  if (nvml_->nvmlDeviceGetClockInfo(device_, NVML_CLOCK_SM, &megahertz) == NVML_SUCCESS)
    conditions.clock_mhz = megahertz;
  unsigned long long reasons = 0;
  if (nvml_->nvmlDeviceGetCurrentClocksEventReasons(device_, &reasons) == NVML_SUCCESS)
    conditions.throttled = (reasons & kThrottling) != 0;
  return conditions;
}

SensorReadings Sensors::read() const {
  SensorReadings readings;
  if (nvml_ == nullptr) return readings;
  readings.conditions = conditions();
  unsigned number = 0;
  unsigned long long millijoules = 0;
  if (nvml_->nvmlDeviceGetPowerUsage(device_, &number) == NVML_SUCCESS) readings.power_watts = number / 1e3;
  if (nvml_->nvmlDeviceGetTotalEnergyConsumption(device_, &millijoules) == NVML_SUCCESS)
    readings.energy_joules = static_cast<double>(millijoules) / 1e3;
  if (nvml_->nvmlDeviceGetTemperature(device_, NVML_TEMPERATURE_GPU, &number) == NVML_SUCCESS)
    readings.temperature_celsius = number;
  return readings;
}

std::vector<std::string> Sensors::names() const {
  const SensorReadings readings = read();
  std::vector<std::string> names;
  if (readings.conditions.clock_mhz) names.emplace_back("clock");
  if (readings.conditions.throttled) names.emplace_back("throttling");
  if (readings.power_watts) names.emplace_back("power");
  if (readings.energy_joules) names.emplace_back("energy");
  if (readings.temperature_celsius) names.emplace_back("temperature");
  return names;
}

}  // namespace wattune::backend::cuda
