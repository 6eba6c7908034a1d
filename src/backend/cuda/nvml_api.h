// The part of NVML, NVIDIA's management library, that Wattune calls: what reads, nothing that sets. Declared and loaded
// as in cu_api.h. Names, values and layouts are those of NVIDIA's "NVML API Reference Guide", version 550.
#pragma once

#include "wattune/core/result.h"

namespace wattune::backend::cuda {

using nvmlDevice_t = struct nvmlDevice_st*;

// Results are ints, because newer libraries return values that are not listed here.
using nvmlReturn_t = int;
inline constexpr nvmlReturn_t NVML_SUCCESS = 0;
inline constexpr nvmlReturn_t NVML_ERROR_NOT_SUPPORTED = 3;
inline constexpr nvmlReturn_t NVML_ERROR_NO_PERMISSION = 4;
inline constexpr nvmlReturn_t NVML_ERROR_NOT_FOUND = 6;
inline constexpr nvmlReturn_t NVML_ERROR_LIB_RM_VERSION_MISMATCH = 18;
inline constexpr nvmlReturn_t NVML_ERROR_GPU_IS_LOST = 15;

inline constexpr int NVML_CLOCK_SM = 1;
inline constexpr int NVML_TEMPERATURE_GPU = 0;

// Why the clock is lower than it could be.
inline constexpr unsigned long long nvmlClocksEventReasonSwPowerCap = 0x4;
inline constexpr unsigned long long nvmlClocksThrottleReasonHwSlowdown = 0x8;
inline constexpr unsigned long long nvmlClocksEventReasonSwThermalSlowdown = 0x20;
inline constexpr unsigned long long nvmlClocksThrottleReasonHwThermalSlowdown = 0x40;
inline constexpr unsigned long long nvmlClocksThrottleReasonHwPowerBrakeSlowdown = 0x80;

#define WATTUNE_NVML_FUNCTIONS(X)                                                            \
  X(nvmlInit_v2, ())                                                                         \
  X(nvmlDeviceGetHandleByPciBusId_v2, (const char* bus_id, nvmlDevice_t* device))            \
  X(nvmlDeviceGetClockInfo, (nvmlDevice_t device, int type, unsigned* megahertz))            \
  X(nvmlDeviceGetCurrentClocksEventReasons, (nvmlDevice_t device, unsigned long long* bits)) \
  X(nvmlDeviceGetPowerUsage, (nvmlDevice_t device, unsigned* milliwatts))                    \
  X(nvmlDeviceGetTotalEnergyConsumption, (nvmlDevice_t device, unsigned long long* mj))      \
  X(nvmlDeviceGetTemperature, (nvmlDevice_t device, int sensor, unsigned* celsius))

struct NvmlApi {
#define WATTUNE_NVML_MEMBER(function, parameters) nvmlReturn_t(*function) parameters = nullptr;
  WATTUNE_NVML_FUNCTIONS(WATTUNE_NVML_MEMBER)
#undef WATTUNE_NVML_MEMBER
};

// The loaded and initialised library, the same for the whole process. unavailable, saying what to do. WATTUNE_LIBNVML
// names another file than libnvidia-ml.so.1.
Result<const NvmlApi*> nvml_api();

// What NVML answered, in words.
std::string nvml_reason(nvmlReturn_t code);

}  // namespace wattune::backend::cuda
