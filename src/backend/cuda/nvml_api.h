// The part of NVML, NVIDIA's management library, that Wattune calls: what reads, and, for clock_control.cc alone, what
// sets clocks and limits. Declared and loaded as in cu_api.h, but any function may be missing: old drivers lack some,
// which takes away what needs them and nothing else. Names, values and layouts are those of NVIDIA's "NVML API
// Reference Guide", version 550.
#pragma once

#include <string>

#include "wattune/core/result.h"

namespace wattune::backend::cuda {

using nvmlDevice_t = struct nvmlDevice_st*;

// Results are ints, because newer libraries return values that are not listed here.
using nvmlReturn_t = int;
inline constexpr nvmlReturn_t NVML_SUCCESS = 0;
inline constexpr nvmlReturn_t NVML_ERROR_INVALID_ARGUMENT = 2;
inline constexpr nvmlReturn_t NVML_ERROR_NOT_SUPPORTED = 3;
inline constexpr nvmlReturn_t NVML_ERROR_NO_PERMISSION = 4;
inline constexpr nvmlReturn_t NVML_ERROR_NOT_FOUND = 6;
inline constexpr nvmlReturn_t NVML_ERROR_FUNCTION_NOT_FOUND = 13;
inline constexpr nvmlReturn_t NVML_ERROR_GPU_IS_LOST = 15;
inline constexpr nvmlReturn_t NVML_ERROR_LIB_RM_VERSION_MISMATCH = 18;

inline constexpr int NVML_CLOCK_GRAPHICS = 0;
inline constexpr int NVML_CLOCK_SM = 1;
inline constexpr int NVML_CLOCK_MEM = 2;
inline constexpr int NVML_TEMPERATURE_GPU = 0;

// Why the clock is lower than it could be.
inline constexpr unsigned long long nvmlClocksEventReasonSwPowerCap = 0x4;
inline constexpr unsigned long long nvmlClocksThrottleReasonHwSlowdown = 0x8;
inline constexpr unsigned long long nvmlClocksEventReasonSwThermalSlowdown = 0x20;
inline constexpr unsigned long long nvmlClocksThrottleReasonHwThermalSlowdown = 0x40;
inline constexpr unsigned long long nvmlClocksThrottleReasonHwPowerBrakeSlowdown = 0x80;

// ThrottleReasons is what drivers before 535 call EventReasons.
#define WATTUNE_NVML_FUNCTIONS(X)                                                                                    \
  X(nvmlInit_v2, ())                                                                                                 \
  X(nvmlDeviceGetHandleByPciBusId_v2, (const char* bus_id, nvmlDevice_t* device))                                    \
  X(nvmlDeviceGetClockInfo, (nvmlDevice_t device, int type, unsigned* megahertz))                                    \
  X(nvmlDeviceGetCurrentClocksEventReasons, (nvmlDevice_t device, unsigned long long* bits))                         \
  X(nvmlDeviceGetCurrentClocksThrottleReasons, (nvmlDevice_t device, unsigned long long* bits))                      \
  X(nvmlDeviceGetPowerUsage, (nvmlDevice_t device, unsigned* milliwatts))                                            \
  X(nvmlDeviceGetTotalEnergyConsumption, (nvmlDevice_t device, unsigned long long* mj))                              \
  X(nvmlDeviceGetTemperature, (nvmlDevice_t device, int sensor, unsigned* celsius))                                  \
  X(nvmlDeviceGetSupportedMemoryClocks, (nvmlDevice_t device, unsigned* count, unsigned* megahertz))                 \
  X(nvmlDeviceGetSupportedGraphicsClocks, (nvmlDevice_t device, unsigned mem, unsigned* count, unsigned* megahertz)) \
  X(nvmlDeviceGetPowerManagementLimitConstraints, (nvmlDevice_t device, unsigned* least_mw, unsigned* most_mw))      \
  X(nvmlDeviceGetPowerManagementLimit, (nvmlDevice_t device, unsigned* milliwatts))                                  \
  X(nvmlDeviceSetGpuLockedClocks, (nvmlDevice_t device, unsigned least, unsigned most))                              \
  X(nvmlDeviceResetGpuLockedClocks, (nvmlDevice_t device))                                                           \
  X(nvmlDeviceSetMemoryLockedClocks, (nvmlDevice_t device, unsigned least, unsigned most))                           \
  X(nvmlDeviceResetMemoryLockedClocks, (nvmlDevice_t device))                                                        \
  X(nvmlDeviceSetPowerManagementLimit, (nvmlDevice_t device, unsigned milliwatts))

struct NvmlApi {
#define WATTUNE_NVML_MEMBER(function, parameters) nvmlReturn_t(*function) parameters = nullptr;
  WATTUNE_NVML_FUNCTIONS(WATTUNE_NVML_MEMBER)
#undef WATTUNE_NVML_MEMBER
  bool drives_real_boards = true;  // not one that WATTUNE_LIBNVML names, which is a stand-in
};

// The loaded and initialised library, the same for the whole process. unavailable, saying what to do. WATTUNE_LIBNVML
// names another file than libnvidia-ml.so.1.
Result<const NvmlApi*> nvml_api();

// A function of it that may be missing.
template <typename... Parameter, typename... Argument>
nvmlReturn_t call(nvmlReturn_t (*function)(Parameter...), Argument... arguments) {
  return function == nullptr ? NVML_ERROR_FUNCTION_NOT_FOUND : function(arguments...);
}

// The board at this place of the PCI bus ("0000:3B:00.0"). unavailable.
Result<nvmlDevice_t> nvml_board(const NvmlApi& nvml, const std::string& pci_bus_id);

// What NVML answered, in words.
std::string nvml_reason(nvmlReturn_t code);

}  // namespace wattune::backend::cuda
