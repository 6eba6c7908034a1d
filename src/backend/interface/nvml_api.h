// The part of NVML, NVIDIA's management library, that Wattune calls: readers and, for board_control.cc alone, setters
// of clocks and limits. It is declared and loaded as in cu_api.h, but any function may be missing. Old drivers lack
// some, which disables only the features that need them. Names, values and layouts are those of NVIDIA's "NVML API
// Reference Guide", version 550.
#pragma once

#include <string>

#include "wattune/core/result.h"

namespace wattune::inline v0_1::backend::nvml {

using nvmlDevice_t = struct nvmlDevice_st*;

// Results are ints, because newer libraries return values that are not listed here.
using nvmlReturn_t = int;
inline constexpr nvmlReturn_t NVML_SUCCESS = 0;
inline constexpr nvmlReturn_t NVML_ERROR_UNINITIALIZED = 1;
inline constexpr nvmlReturn_t NVML_ERROR_INVALID_ARGUMENT = 2;
inline constexpr nvmlReturn_t NVML_ERROR_NOT_SUPPORTED = 3;
inline constexpr nvmlReturn_t NVML_ERROR_NO_PERMISSION = 4;
inline constexpr nvmlReturn_t NVML_ERROR_NOT_FOUND = 6;
inline constexpr nvmlReturn_t NVML_ERROR_INSUFFICIENT_SIZE = 7;
inline constexpr nvmlReturn_t NVML_ERROR_DRIVER_NOT_LOADED = 9;
inline constexpr nvmlReturn_t NVML_ERROR_FUNCTION_NOT_FOUND = 13;
inline constexpr nvmlReturn_t NVML_ERROR_GPU_IS_LOST = 15;
inline constexpr nvmlReturn_t NVML_ERROR_LIB_RM_VERSION_MISMATCH = 18;
inline constexpr nvmlReturn_t NVML_ERROR_UNKNOWN = 999;

inline constexpr int NVML_CLOCK_GRAPHICS = 0;
inline constexpr int NVML_CLOCK_SM = 1;
inline constexpr int NVML_CLOCK_MEM = 2;
inline constexpr int NVML_TEMPERATURE_GPU = 0;
inline constexpr int NVML_FEATURE_DISABLED = 0;
inline constexpr int NVML_FEATURE_ENABLED = 1;
inline constexpr int NVML_RESTRICTED_API_SET_APPLICATION_CLOCKS = 0;

// Fields of nvmlDeviceGetFieldValues.
inline constexpr unsigned NVML_FI_DEV_MEMORY_TEMP = 82;
inline constexpr unsigned NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION = 83;
inline constexpr unsigned NVML_FI_DEV_POWER_AVERAGE = 185;
inline constexpr unsigned NVML_FI_DEV_POWER_INSTANT = 186;
// The scope of a field, in its scopeId: the GPU, or a module that holds other chips too (Grace Hopper).
inline constexpr unsigned NVML_POWER_SCOPE_GPU = 0;
inline constexpr unsigned NVML_POWER_SCOPE_MODULE = 1;
inline constexpr unsigned NVML_POWER_SCOPE_MEMORY = 2;

// Reasons why a clock is lower than it could be, one bit each.
inline constexpr unsigned long long nvmlClocksEventReasonGpuIdle = 0x1;
inline constexpr unsigned long long nvmlClocksEventReasonSwPowerCap = 0x4;
inline constexpr unsigned long long nvmlClocksThrottleReasonHwSlowdown = 0x8;
inline constexpr unsigned long long nvmlClocksEventReasonSwThermalSlowdown = 0x20;
inline constexpr unsigned long long nvmlClocksThrottleReasonHwThermalSlowdown = 0x40;
inline constexpr unsigned long long nvmlClocksThrottleReasonHwPowerBrakeSlowdown = 0x80;

// NOLINTBEGIN(readability-identifier-naming): the names are those of NVML's documentation.
enum nvmlValueType_t : int {
  NVML_VALUE_TYPE_DOUBLE = 0,
  NVML_VALUE_TYPE_UNSIGNED_INT = 1,
  NVML_VALUE_TYPE_UNSIGNED_LONG = 2,
  NVML_VALUE_TYPE_UNSIGNED_LONG_LONG = 3,
  NVML_VALUE_TYPE_SIGNED_LONG_LONG = 4,
  NVML_VALUE_TYPE_SIGNED_INT = 5,
  NVML_VALUE_TYPE_UNSIGNED_SHORT = 6,
};
union nvmlValue_t {
  double dVal;
  unsigned uiVal;
  unsigned long ulVal;
  unsigned long long ullVal;
  long long sllVal;
  int siVal;
  unsigned short usVal;
};
struct nvmlFieldValue_t {
  unsigned fieldId;
  unsigned scopeId;
  long long timestamp;    // time in microseconds since 1970
  long long latencyUsec;  // duration of the reading
  int valueType;          // nvmlValueType_t
  nvmlReturn_t nvmlReturn;
  nvmlValue_t value;
};
struct nvmlProcessInfo_t {
  unsigned pid;
  unsigned long long usedGpuMemory;
  unsigned gpuInstanceId;
  unsigned computeInstanceId;
};
struct nvmlPciInfo_t {
  char busIdLegacy[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned pciDeviceId;
  unsigned pciSubSystemId;
  char busId[32];
};

// NOLINTEND(readability-identifier-naming)

// The functions that only read. ThrottleReasons is the name of EventReasons in drivers before 535.
#define WATTUNE_NVML_READERS(X)                                                                                      \
  X(nvmlInit_v2, ())                                                                                                 \
  X(nvmlSystemGetDriverVersion, (char* text, unsigned length))                                                       \
  X(nvmlDeviceGetCount_v2, (unsigned* count))                                                                        \
  X(nvmlDeviceGetHandleByIndex_v2, (unsigned index, nvmlDevice_t* device))                                           \
  X(nvmlDeviceGetHandleByUUID, (const char* uuid, nvmlDevice_t* device))                                             \
  X(nvmlDeviceGetHandleByPciBusId_v2, (const char* bus_id, nvmlDevice_t* device))                                    \
  X(nvmlDeviceGetName, (nvmlDevice_t device, char* text, unsigned length))                                           \
  X(nvmlDeviceGetUUID, (nvmlDevice_t device, char* text, unsigned length))                                           \
  X(nvmlDeviceGetPciInfo_v3, (nvmlDevice_t device, nvmlPciInfo_t * pci))                                             \
  X(nvmlDeviceGetArchitecture, (nvmlDevice_t device, unsigned* architecture))                                        \
  X(nvmlDeviceGetMigMode, (nvmlDevice_t device, unsigned* current, unsigned* pending))                               \
  X(nvmlDeviceGetClockInfo, (nvmlDevice_t device, int type, unsigned* megahertz))                                    \
  X(nvmlDeviceGetMaxClockInfo, (nvmlDevice_t device, int type, unsigned* megahertz))                                 \
  X(nvmlDeviceGetApplicationsClock, (nvmlDevice_t device, int type, unsigned* megahertz))                            \
  X(nvmlDeviceGetDefaultApplicationsClock, (nvmlDevice_t device, int type, unsigned* megahertz))                     \
  X(nvmlDeviceGetCurrentClocksEventReasons, (nvmlDevice_t device, unsigned long long* bits))                         \
  X(nvmlDeviceGetCurrentClocksThrottleReasons, (nvmlDevice_t device, unsigned long long* bits))                      \
  X(nvmlDeviceGetPowerUsage, (nvmlDevice_t device, unsigned* milliwatts))                                            \
  X(nvmlDeviceGetTotalEnergyConsumption, (nvmlDevice_t device, unsigned long long* mj))                              \
  X(nvmlDeviceGetFieldValues, (nvmlDevice_t device, int count, nvmlFieldValue_t* values))                            \
  X(nvmlDeviceGetTemperature, (nvmlDevice_t device, int sensor, unsigned* celsius))                                  \
  X(nvmlDeviceGetSupportedMemoryClocks, (nvmlDevice_t device, unsigned* count, unsigned* megahertz))                 \
  X(nvmlDeviceGetSupportedGraphicsClocks, (nvmlDevice_t device, unsigned mem, unsigned* count, unsigned* megahertz)) \
  X(nvmlDeviceGetPowerManagementLimitConstraints, (nvmlDevice_t device, unsigned* least_mw, unsigned* most_mw))      \
  X(nvmlDeviceGetPowerManagementLimit, (nvmlDevice_t device, unsigned* milliwatts))                                  \
  X(nvmlDeviceGetPowerManagementDefaultLimit, (nvmlDevice_t device, unsigned* milliwatts))                           \
  X(nvmlDeviceGetEnforcedPowerLimit, (nvmlDevice_t device, unsigned* milliwatts))                                    \
  X(nvmlDeviceGetPersistenceMode, (nvmlDevice_t device, int* enabled))                                               \
  X(nvmlDeviceGetAPIRestriction, (nvmlDevice_t device, int api, int* restricted))                                    \
  X(nvmlDeviceGetComputeRunningProcesses_v3, (nvmlDevice_t device, unsigned* count, nvmlProcessInfo_t* processes))

// The functions that set, for board_control.cc alone.
#define WATTUNE_NVML_SETTERS(X)                                                                 \
  X(nvmlDeviceSetGpuLockedClocks, (nvmlDevice_t device, unsigned least, unsigned most))         \
  X(nvmlDeviceResetGpuLockedClocks, (nvmlDevice_t device))                                      \
  X(nvmlDeviceSetMemoryLockedClocks, (nvmlDevice_t device, unsigned least, unsigned most))      \
  X(nvmlDeviceResetMemoryLockedClocks, (nvmlDevice_t device))                                   \
  X(nvmlDeviceSetApplicationsClocks, (nvmlDevice_t device, unsigned memory, unsigned graphics)) \
  X(nvmlDeviceResetApplicationsClocks, (nvmlDevice_t device))                                   \
  X(nvmlDeviceSetPowerManagementLimit, (nvmlDevice_t device, unsigned milliwatts))

#define WATTUNE_NVML_FUNCTIONS(X) WATTUNE_NVML_READERS(X) WATTUNE_NVML_SETTERS(X)

struct NvmlApi {
#define WATTUNE_NVML_MEMBER(function, parameters) nvmlReturn_t(*function) parameters = nullptr;
  WATTUNE_NVML_FUNCTIONS(WATTUNE_NVML_MEMBER)
#undef WATTUNE_NVML_MEMBER
  bool drives_real_boards = true;  // false for a test's stand-in, whose function wattune_stand_in() returns 1
};

// Returns the loaded and initialised library, the same for the whole process. Fails with unavailable, saying what to
// do. WATTUNE_LIBNVML names another file than libnvidia-ml.so.1.
Result<const NvmlApi*> nvml_api();

// Calls a function of the library that may be missing.
template <typename... Parameter, typename... Argument>
nvmlReturn_t call(nvmlReturn_t (*function)(Parameter...), Argument... arguments) {
  return function == nullptr ? NVML_ERROR_FUNCTION_NOT_FOUND : function(arguments...);
}

// Returns the board at this place of the PCI bus ("0000:3B:00.0"). Fails with unavailable.
Result<nvmlDevice_t> nvml_board(const NvmlApi& nvml, const std::string& pci_bus_id);

// Returns NVML's result in words.
std::string nvml_reason(nvmlReturn_t code);

}  // namespace wattune::backend::nvml
