// A stand-in for libnvidia-ml.so.1, with the devices of the stand-in for libcuda. Environment variables steer it:
//   WATTUNE_FAKE_NVML_INIT=18      what nvmlInit_v2 returns
//   WATTUNE_FAKE_NVML_HANDLE=6     what looking for the device returns
//   WATTUNE_FAKE_NVML_ENERGY=3     what each question returns: CLOCK, REASONS, POWER, ENERGY, TEMPERATURE
//   WATTUNE_FAKE_NVML_BITS=4       why the clock is low; 1 (idle) unless given
// The energy counter rises by a joule at every fourth question, and stands still with WATTUNE_FAKE_NVML_STUCK=1.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>

#include "backend/cuda/nvml_api.h"
#include "fakes/cuda/fake_cuda.h"

using namespace wattune::backend::cuda;
using wattune::fakes::kFirstPciBus;

namespace {

int from_environment(const std::string& name, int otherwise) {
  const char* const text = std::getenv(("WATTUNE_FAKE_NVML_" + name).c_str());
  return text != nullptr ? std::atoi(text) : otherwise;
}

template <typename T>
nvmlReturn_t answer(const char* question, T* to, T value) {
  const nvmlReturn_t code = from_environment(question, NVML_SUCCESS);
  if (code == NVML_SUCCESS) *to = value;
  return code;
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlInit_v2() { return from_environment("INIT", NVML_SUCCESS); }

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, nvmlDevice_t* device) {
  unsigned bus = 0;
  if (std::sscanf(bus_id, "0000:%X:00.0", &bus) != 1 || bus < kFirstPciBus) return NVML_ERROR_NOT_FOUND;
  *device = nullptr;
  return from_environment("HANDLE", NVML_SUCCESS);
}

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t, int type, unsigned* megahertz) {
  return answer("CLOCK", megahertz, type == NVML_CLOCK_SM ? 1755u : 0u);
}

nvmlReturn_t nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t, unsigned long long* bits) {
  return answer("REASONS", bits, static_cast<unsigned long long>(from_environment("BITS", 1)));
}

nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t, unsigned* milliwatts) {
  return answer("POWER", milliwatts, 350'000u);
}

nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t, unsigned long long* millijoules) {
  static unsigned long long questions = 0;
  if (from_environment("STUCK", 0) == 0) ++questions;
  return answer("ENERGY", millijoules, questions / 4 * 1000);
}

nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t, int, unsigned* celsius) {
  return answer("TEMPERATURE", celsius, 41u);
}

}  // extern "C"

// The declarations that Wattune calls these by.
#define WATTUNE_SAME(function, parameters) \
  static_assert(std::is_same_v<decltype(&::function), decltype(NvmlApi::function)>);
WATTUNE_NVML_FUNCTIONS(WATTUNE_SAME)
