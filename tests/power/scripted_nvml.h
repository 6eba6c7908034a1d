// An NVML whose functions a test scripts: fields, codes and a board, without a library to load.
#pragma once

#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "backend/interface/nvml_api.h"

namespace wattune::inline v0_1::power::test {

namespace nvml = backend::nvml;

// The script. There is one for the process, since NVML's functions have no argument for it.
struct NvmlScript {
  std::string uuid = "GPU-6f1a";
  std::string name = "NVIDIA H200";
  std::string driver = "550.54.15";
  unsigned architecture = 9;
  bool divided = false;
  unsigned long long millijoules = 5'000;
  unsigned usage_mw = 300'000;
  // Values by (field, scope); others are not supported.
  std::map<std::pair<unsigned, unsigned>, unsigned> fields = {
      {{nvml::NVML_FI_DEV_POWER_INSTANT, nvml::NVML_POWER_SCOPE_GPU}, 310'000},
      {{nvml::NVML_FI_DEV_POWER_AVERAGE, nvml::NVML_POWER_SCOPE_GPU}, 290'000}};
  nvml::nvmlReturn_t code = nvml::NVML_SUCCESS;  // of every reading
};

inline NvmlScript& script() {
  static NvmlScript script;
  return script;
}

inline nvml::nvmlReturn_t answer_text(const std::string& text, char* to, unsigned length) {
  std::strncpy(to, text.c_str(), length);
  return nvml::NVML_SUCCESS;
}

inline nvml::nvmlReturn_t answer_fields(nvml::nvmlDevice_t, int count, nvml::nvmlFieldValue_t* values) {
  if (script().code != nvml::NVML_SUCCESS) return script().code;
  for (nvml::nvmlFieldValue_t* each = values; each != values + count; ++each) {
    const auto found = script().fields.find({each->fieldId, each->scopeId});
    each->nvmlReturn = found != script().fields.end() ? nvml::NVML_SUCCESS : nvml::NVML_ERROR_NOT_SUPPORTED;
    each->valueType = nvml::NVML_VALUE_TYPE_UNSIGNED_INT;
    if (found != script().fields.end()) each->value.uiVal = found->second;
  }
  return nvml::NVML_SUCCESS;
}

// Returns all functions that a current board has. A test sets to nullptr the functions that its driver lacks.
inline nvml::NvmlApi scripted_nvml() {
  using namespace nvml;
  script() = NvmlScript();
  NvmlApi api;
  api.nvmlDeviceGetHandleByUUID = [](const char* uuid, nvmlDevice_t* device) {
    *device = nullptr;
    return uuid == script().uuid ? NVML_SUCCESS : NVML_ERROR_NOT_FOUND;
  };
  api.nvmlDeviceGetHandleByPciBusId_v2 = [](const char*, nvmlDevice_t* device) {
    *device = nullptr;
    return NVML_SUCCESS;
  };
  api.nvmlDeviceGetUUID = [](nvmlDevice_t, char* to, unsigned size) { return answer_text(script().uuid, to, size); };
  api.nvmlDeviceGetName = [](nvmlDevice_t, char* to, unsigned size) { return answer_text(script().name, to, size); };
  api.nvmlSystemGetDriverVersion = [](char* to, unsigned size) { return answer_text(script().driver, to, size); };
  api.nvmlDeviceGetPciInfo_v3 = [](nvmlDevice_t, nvmlPciInfo_t* pci) {
    return answer_text("00000000:3B:00.0", pci->busId, sizeof pci->busId);
  };
  api.nvmlDeviceGetArchitecture = [](nvmlDevice_t, unsigned* to) { return *to = script().architecture, NVML_SUCCESS; };
  api.nvmlDeviceGetMigMode = [](nvmlDevice_t, unsigned* now, unsigned*) {
    return *now = script().divided ? 1 : 0, NVML_SUCCESS;
  };
  api.nvmlDeviceGetCount_v2 = [](unsigned* count) { return *count = 1, NVML_SUCCESS; };
  api.nvmlDeviceGetHandleByIndex_v2 = [](unsigned, nvmlDevice_t* device) { return *device = nullptr, NVML_SUCCESS; };
  api.nvmlDeviceGetFieldValues = answer_fields;
  api.nvmlDeviceGetTotalEnergyConsumption = [](nvmlDevice_t, unsigned long long* to) {
    return *to = script().millijoules, script().code;
  };
  api.nvmlDeviceGetPowerUsage = [](nvmlDevice_t, unsigned* to) { return *to = script().usage_mw, script().code; };
  api.nvmlDeviceGetTemperature = [](nvmlDevice_t, int, unsigned* to) { return *to = 41, script().code; };
  api.nvmlDeviceGetClockInfo = [](nvmlDevice_t, int, unsigned* to) { return *to = 1755, script().code; };
  api.nvmlDeviceGetCurrentClocksEventReasons = [](nvmlDevice_t, unsigned long long* to) {
    return *to = 4, script().code;
  };
  return api;
}

}  // namespace wattune::power::test
