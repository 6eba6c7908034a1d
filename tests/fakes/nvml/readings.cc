// The readings of a device by the stand-in for NVML.
#include <cstring>
#include <string>

#include "fakes/nvml/devices.h"
#include "fakes/nvml/profile.h"

using namespace wattune;
using namespace wattune::backend::nvml;
using namespace wattune::fakes;

namespace {

nvmlReturn_t give_reasons(nvmlDevice_t device, unsigned long long* bits) {
  return answer("REASONS", bits, face_of(device).reasons());
}

template <typename T>
nvmlReturn_t give(const char* question, const std::optional<T>& value, T* to) {
  return value ? answer(question, to, *value) : NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t give_energy(nvmlDevice_t device, unsigned long long* millijoules) {
  return give("ENERGY", face_of(device).millijoules(), millijoules);
}

void read_power(nvmlDevice_t device, PowerReading reading, nvmlFieldValue_t& field) {
  field.valueType = NVML_VALUE_TYPE_UNSIGNED_INT;
  field.nvmlReturn = give("POWER", face_of(device).milliwatts(reading), &field.value.uiVal);
}

[[maybe_unused]] void read_field(nvmlDevice_t device, nvmlFieldValue_t& field) {
  switch (field.fieldId) {
    case NVML_FI_DEV_MEMORY_TEMP:
      field.valueType = NVML_VALUE_TYPE_UNSIGNED_INT;
      field.nvmlReturn = answer("TEMPERATURE", &field.value.uiVal, face_of(device).celsius() + 5);
      return;
    case NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION:
      field.valueType = NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
      field.nvmlReturn = give_energy(device, &field.value.ullVal);
      return;
    case NVML_FI_DEV_POWER_AVERAGE: return read_power(device, PowerReading::average, field);
    case NVML_FI_DEV_POWER_INSTANT: return read_power(device, PowerReading::instant, field);
    default: field.nvmlReturn = NVML_ERROR_NOT_SUPPORTED;
  }
}

// Tells whether fields have this scope: the GPU or, with WATTUNE_FAKE_NVML_SCOPES=module, only the module, as on some
// Grace Hoppers.
[[maybe_unused]] bool has_scope(unsigned scope) {
  const char* const scopes = from_environment("SCOPES");
  const bool module = scopes != nullptr && std::strcmp(scopes, "module") == 0;
  return scope == (module ? NVML_POWER_SCOPE_MODULE : NVML_POWER_SCOPE_GPU);
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, int type, unsigned* megahertz) {
  WATTUNE_FAKE_NVML_ENTRY();
  BoardFace& face = face_of(device);
  const unsigned memory = board_of(device).memory(face.memory_clocks().front());
  return answer("CLOCK", megahertz, type == NVML_CLOCK_MEM ? memory : face.graphics_clock());
}

nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, int type, unsigned* megahertz) {
  WATTUNE_FAKE_NVML_ENTRY();
  const unsigned memory = face_of(device).memory_clocks().front();
  *megahertz = type == NVML_CLOCK_MEM ? memory : face_of(device).graphics_clocks(memory).front();
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetDefaultApplicationsClock(nvmlDevice_t device, int type, unsigned* megahertz) {
  WATTUNE_FAKE_NVML_ENTRY();
  const BoardFace& face = face_of(device);
  *megahertz = type == NVML_CLOCK_MEM ? face.memory_clocks().front() : face.usual_graphics_clock();
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetApplicationsClock(nvmlDevice_t device, int type, unsigned* megahertz) {
  WATTUNE_FAKE_NVML_ENTRY();
  const FakeBoard& board = board_of(device);
  const unsigned set = type == NVML_CLOCK_MEM ? board.memory_application : board.graphics_application;
  if (set == 0) return nvmlDeviceGetDefaultApplicationsClock(device, type, megahertz);
  *megahertz = set;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device, unsigned long long* bits) {
  WATTUNE_FAKE_NVML_ENTRY();
  return give_reasons(device, bits);
}

nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned* milliwatts) {
  WATTUNE_FAKE_NVML_ENTRY();
  return give("POWER", face_of(device).milliwatts(PowerReading::draw), milliwatts);
}

nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, int, unsigned* celsius) {
  WATTUNE_FAKE_NVML_ENTRY();
  return answer("TEMPERATURE", celsius, face_of(device).celsius());
}

nvmlReturn_t nvmlDeviceGetPowerManagementLimit(nvmlDevice_t device, unsigned* milliwatts) {
  WATTUNE_FAKE_NVML_ENTRY();
  return answer("LIMIT", milliwatts, board_of(device).limit(face_of(device).limits().usual_mw));
}

nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned* milliwatts) {
  WATTUNE_FAKE_NVML_ENTRY();
  return answer("LIMIT", milliwatts, board_of(device).limit(face_of(device).limits().usual_mw));
}

nvmlReturn_t nvmlDeviceGetPowerManagementDefaultLimit(nvmlDevice_t device, unsigned* milliwatts) {
  WATTUNE_FAKE_NVML_ENTRY();
  *milliwatts = face_of(device).limits().usual_mw;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetPowerManagementLimitConstraints(nvmlDevice_t device, unsigned* least, unsigned* most) {
  WATTUNE_FAKE_NVML_ENTRY();
  *least = face_of(device).limits().least_mw;
  *most = face_of(device).limits().most_mw;
  return NVML_SUCCESS;
}

#ifndef WATTUNE_FAKE_NVML_OLD

nvmlReturn_t nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t device, unsigned long long* bits) {
  WATTUNE_FAKE_NVML_ENTRY();
  return give_reasons(device, bits);
}

nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t device, unsigned long long* millijoules) {
  WATTUNE_FAKE_NVML_ENTRY();
  return give_energy(device, millijoules);
}

nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int count, nvmlFieldValue_t* fields) {
  WATTUNE_FAKE_NVML_ENTRY();
  for (int i = 0; i < count; ++i) {
    nvmlFieldValue_t& field = fields[i];
    field.timestamp = face_of(device).now();
    field.latencyUsec = 0;
    field.nvmlReturn = from_environment("FIELD_" + std::to_string(field.fieldId), NVML_SUCCESS);
    if (field.nvmlReturn == NVML_SUCCESS && !has_scope(field.scopeId)) field.nvmlReturn = NVML_ERROR_NOT_SUPPORTED;
    if (field.nvmlReturn == NVML_SUCCESS) read_field(device, field);
  }
  return NVML_SUCCESS;
}

#endif

}  // extern "C"
