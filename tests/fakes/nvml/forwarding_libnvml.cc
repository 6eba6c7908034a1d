// A library in front of NVML that records the calls. It passes every call on to the library that WATTUNE_FORWARD_NVML
// names, by default libnvidia-ml.so.1, and appends the function's name to the file WATTUNE_NVML_LOG. A function that
// the other library lacks is answered as NVML does. It is a stand-in if the other is one.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "backend/interface/nvml_api.h"
#include "fakes/nvml/environment.h"

using namespace wattune::backend::nvml;

namespace {

void* other_library() {
  static void* const library = [] {
    const char* const name = std::getenv("WATTUNE_FORWARD_NVML");
    void* const loaded = dlopen(name != nullptr ? name : "libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (loaded == nullptr) std::fprintf(stderr, "forwarding NVML: %s\n", dlerror());
    return loaded;
  }();
  return library;
}

template <typename Function>
Function* found(const char* name) {
  void* const library = other_library();
  return library != nullptr ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
}

template <typename... Parameter>
nvmlReturn_t forward(const char* name, nvmlReturn_t (*)(Parameter...), Parameter... arguments) {
  if (const char* const log = std::getenv("WATTUNE_NVML_LOG")) wattune::fakes::append_line(log, name);
  auto* const function = found<nvmlReturn_t(Parameter...)>(name);
  return function != nullptr ? function(arguments...) : NVML_ERROR_FUNCTION_NOT_FOUND;
}

}  // namespace

// The functions are declared as Wattune calls them, so that no definition can differ.
extern "C" {
#define WATTUNE_DECLARE(function, parameters) nvmlReturn_t function parameters;
WATTUNE_NVML_FUNCTIONS(WATTUNE_DECLARE)
#undef WATTUNE_DECLARE

int wattune_stand_in() {
  auto* const function = found<int()>("wattune_stand_in");
  return function != nullptr ? function() : 0;
}

#define WATTUNE_FORWARD(function, parameters, ...) \
  nvmlReturn_t function parameters { return forward(#function, &function __VA_OPT__(, ) __VA_ARGS__); }

using Device = nvmlDevice_t;

WATTUNE_FORWARD(nvmlInit_v2, ())
WATTUNE_FORWARD(nvmlSystemGetDriverVersion, (char* a, unsigned b), a, b)
WATTUNE_FORWARD(nvmlDeviceGetCount_v2, (unsigned* a), a)
WATTUNE_FORWARD(nvmlDeviceGetHandleByIndex_v2, (unsigned a, Device* b), a, b)
WATTUNE_FORWARD(nvmlDeviceGetHandleByUUID, (const char* a, Device* b), a, b)
WATTUNE_FORWARD(nvmlDeviceGetHandleByPciBusId_v2, (const char* a, Device* b), a, b)
WATTUNE_FORWARD(nvmlDeviceGetName, (Device a, char* b, unsigned c), a, b, c)
WATTUNE_FORWARD(nvmlDeviceGetUUID, (Device a, char* b, unsigned c), a, b, c)
WATTUNE_FORWARD(nvmlDeviceGetPciInfo_v3, (Device a, nvmlPciInfo_t* b), a, b)
WATTUNE_FORWARD(nvmlDeviceGetArchitecture, (Device a, unsigned* b), a, b)
WATTUNE_FORWARD(nvmlDeviceGetMigMode, (Device a, unsigned* b, unsigned* c), a, b, c)
WATTUNE_FORWARD(nvmlDeviceGetClockInfo, (Device a, int b, unsigned* c), a, b, c)
WATTUNE_FORWARD(nvmlDeviceGetMaxClockInfo, (Device a, int b, unsigned* c), a, b, c)
WATTUNE_FORWARD(nvmlDeviceGetApplicationsClock, (Device a, int b, unsigned* c), a, b, c)
WATTUNE_FORWARD(nvmlDeviceGetDefaultApplicationsClock, (Device a, int b, unsigned* c), a, b, c)
WATTUNE_FORWARD(nvmlDeviceGetCurrentClocksEventReasons, (Device a, unsigned long long* b), a, b)
WATTUNE_FORWARD(nvmlDeviceGetCurrentClocksThrottleReasons, (Device a, unsigned long long* b), a, b)
WATTUNE_FORWARD(nvmlDeviceGetPowerUsage, (Device a, unsigned* b), a, b)
WATTUNE_FORWARD(nvmlDeviceGetTotalEnergyConsumption, (Device a, unsigned long long* b), a, b)
WATTUNE_FORWARD(nvmlDeviceGetFieldValues, (Device a, int b, nvmlFieldValue_t* c), a, b, c)
WATTUNE_FORWARD(nvmlDeviceGetTemperature, (Device a, int b, unsigned* c), a, b, c)
WATTUNE_FORWARD(nvmlDeviceGetSupportedMemoryClocks, (Device a, unsigned* b, unsigned* c), a, b, c)
WATTUNE_FORWARD(nvmlDeviceGetSupportedGraphicsClocks, (Device a, unsigned b, unsigned* c, unsigned* d), a, b, c, d)
WATTUNE_FORWARD(nvmlDeviceGetPowerManagementLimitConstraints, (Device a, unsigned* b, unsigned* c), a, b, c)
WATTUNE_FORWARD(nvmlDeviceGetPowerManagementLimit, (Device a, unsigned* b), a, b)
WATTUNE_FORWARD(nvmlDeviceGetPowerManagementDefaultLimit, (Device a, unsigned* b), a, b)
WATTUNE_FORWARD(nvmlDeviceGetEnforcedPowerLimit, (Device a, unsigned* b), a, b)
WATTUNE_FORWARD(nvmlDeviceGetPersistenceMode, (Device a, int* b), a, b)
WATTUNE_FORWARD(nvmlDeviceGetAPIRestriction, (Device a, int b, int* c), a, b, c)
WATTUNE_FORWARD(nvmlDeviceGetComputeRunningProcesses_v3, (Device a, unsigned* b, nvmlProcessInfo_t* c), a, b, c)
WATTUNE_FORWARD(nvmlDeviceSetGpuLockedClocks, (Device a, unsigned b, unsigned c), a, b, c)
WATTUNE_FORWARD(nvmlDeviceResetGpuLockedClocks, (Device a), a)
WATTUNE_FORWARD(nvmlDeviceSetMemoryLockedClocks, (Device a, unsigned b, unsigned c), a, b, c)
WATTUNE_FORWARD(nvmlDeviceResetMemoryLockedClocks, (Device a), a)
WATTUNE_FORWARD(nvmlDeviceSetApplicationsClocks, (Device a, unsigned b, unsigned c), a, b, c)
WATTUNE_FORWARD(nvmlDeviceResetApplicationsClocks, (Device a), a)
WATTUNE_FORWARD(nvmlDeviceSetPowerManagementLimit, (Device a, unsigned b), a, b)

}  // extern "C"
