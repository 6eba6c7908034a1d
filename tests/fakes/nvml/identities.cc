// The identity of a device of the stand-in for NVML, and the processes that use it.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "fakes/cuda/fake_cuda.h"
#include "fakes/nvml/devices.h"
#include "fakes/nvml/fake_nvml.h"

using namespace wattune;
using namespace wattune::backend::nvml;
using namespace wattune::fakes;

namespace {

nvmlReturn_t give_text(const std::string& text, char* to, unsigned length) {
  if (text.size() >= length) return NVML_ERROR_INSUFFICIENT_SIZE;
  std::strcpy(to, text.c_str());
  return NVML_SUCCESS;
}

std::string bus_id_of(unsigned device) {
  char text[32];
  std::snprintf(text, sizeof text, "00000000:%02X:00.0", kFirstPciBus + device);
  return text;
}

std::string uuid_of(unsigned device) {
  char text[48];
  std::snprintf(text, sizeof text, "GPU-57a4d000-0000-4000-8000-0000000000%02x", kFirstPciBus + device);
  return text;
}

// Returns the living processes that hold a context, then those of WATTUNE_FAKE_NVML_PROCESSES ("4711,4712"). With
// "hidden" it returns none, as in a container.
[[maybe_unused]] std::vector<unsigned> processes_on(nvmlDevice_t device) {
  std::vector<unsigned> processes;
  const char* const others = from_environment("PROCESSES");
  if (others != nullptr && std::strcmp(others, "hidden") == 0) return processes;
  for (const int process : board_of(device).processes)
    if (process != 0 && kill(process, 0) == 0) processes.push_back(static_cast<unsigned>(process));
  for (const char* other = others; other != nullptr; other = std::strchr(other, ','))
    processes.push_back(static_cast<unsigned>(std::atoi(*other == ',' ? ++other : other)));
  return processes;
}

}  // namespace

extern "C" {

int wattune_stand_in() { return from_environment("REAL", 0) == 0 ? 1 : 0; }

nvmlReturn_t nvmlInit_v2() {
  WATTUNE_FAKE_NVML_ENTRY();
  return from_environment("INIT", NVML_SUCCESS);
}

nvmlReturn_t nvmlSystemGetDriverVersion(char* text, unsigned length) {
  WATTUNE_FAKE_NVML_ENTRY();
  const char* const version = from_environment("DRIVER");
  return give_text(version != nullptr ? version : "550.54.15", text, length);
}

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned* count) {
  WATTUNE_FAKE_NVML_ENTRY();
  *count = device_count();
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t* device) {
  WATTUNE_FAKE_NVML_ENTRY();
  return index < device_count() ? give_handle(cuda_number(index), device) : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char* uuid, nvmlDevice_t* device) {
  WATTUNE_FAKE_NVML_ENTRY();
  for (unsigned i = 0; i < device_count(); ++i)
    if (uuid_of(i) == uuid) return give_handle(i, device);
  return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, nvmlDevice_t* device) {
  WATTUNE_FAKE_NVML_ENTRY();
  unsigned domain = 0;
  unsigned bus = 0;
  if (std::sscanf(bus_id, "%X:%X:00.0", &domain, &bus) != 2 || domain != 0 || bus < kFirstPciBus)
    return NVML_ERROR_NOT_FOUND;
  return give_handle(bus - kFirstPciBus, device);
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char* text, unsigned length) {
  WATTUNE_FAKE_NVML_ENTRY();
  return give_text(face_of(device).name(), text, length);
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char* text, unsigned length) {
  WATTUNE_FAKE_NVML_ENTRY();
  return give_text(uuid_of(device_of(device)), text, length);
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t* pci) {
  WATTUNE_FAKE_NVML_ENTRY();
  *pci = {};
  pci->bus = kFirstPciBus + device_of(device);
  std::strcpy(pci->busId, bus_id_of(device_of(device)).c_str());
  std::strcpy(pci->busIdLegacy, bus_id_of(device_of(device)).c_str() + 4);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetArchitecture(nvmlDevice_t device, unsigned* architecture) {
  WATTUNE_FAKE_NVML_ENTRY();
  *architecture = face_of(device).architecture();
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned* current, unsigned* pending) {
  WATTUNE_FAKE_NVML_ENTRY();
  if (!face_of(device).has_mig()) return NVML_ERROR_NOT_SUPPORTED;
  *current = *pending = static_cast<unsigned>(from_environment("MIG", NVML_FEATURE_DISABLED));
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t, int* enabled) {
  WATTUNE_FAKE_NVML_ENTRY();
  *enabled = from_environment("PERSISTENCE", NVML_FEATURE_ENABLED);
  return NVML_SUCCESS;
}

// Returns the driver's default until an administrator changes it: application clocks are for root.
nvmlReturn_t nvmlDeviceGetAPIRestriction(nvmlDevice_t, int, int* restricted) {
  WATTUNE_FAKE_NVML_ENTRY();
  *restricted = from_environment("RESTRICTED", NVML_FEATURE_ENABLED);
  return NVML_SUCCESS;
}

#ifndef WATTUNE_FAKE_NVML_OLD

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned* count, nvmlProcessInfo_t* infos) {
  WATTUNE_FAKE_NVML_ENTRY();
  const std::vector<unsigned> processes = processes_on(device);
  const unsigned room = *count;
  *count = static_cast<unsigned>(processes.size());
  if (room < processes.size()) return NVML_ERROR_INSUFFICIENT_SIZE;
  for (std::size_t i = 0; i < processes.size(); ++i) infos[i] = {processes[i], 64 << 20, 0, 0};
  return NVML_SUCCESS;
}

#endif

}  // extern "C"
