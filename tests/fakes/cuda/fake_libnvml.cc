// A stand-in for libnvidia-ml.so.1, with the devices of the stand-in for libcuda. That of an old driver
// (wattune-fake-libnvml-old.so) lacks the energy counter, the memory lock and EventReasons. Environment variables steer
// it:
//   WATTUNE_FAKE_NVML_INIT=18      what nvmlInit_v2 returns
//   WATTUNE_FAKE_NVML_HANDLE=6     what looking for the device returns
//   WATTUNE_FAKE_NVML_ENERGY=3     what each question returns: CLOCK, REASONS, POWER, ENERGY, TEMPERATURE
//   WATTUNE_FAKE_NVML_BITS=4       why the clock is low; 1 (idle) unless given
//   WATTUNE_FAKE_NVML_SET=4        what every call that sets or resets something returns
//   WATTUNE_FAKE_NVML_DEAF=1       those calls succeed, but nothing changes
//   WATTUNE_FAKE_NVML_MIG=1        MIG is on
//   WATTUNE_FAKE_NVML_PROCESSES=7  the process that computes on the board, beside this one; 0: none is shown at all
// What is set is kept by the board (fake_board.h), which has these clocks: 2619 MHz of memory with 210 to 1980 MHz in
// steps of 15, and 1593 MHz with 210 to 1200; its power limit is from 200 to 700 W.
// The energy counter rises by a joule at every fourth question, and stands still with WATTUNE_FAKE_NVML_STUCK=1.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>

#include "backend/nvml/nvml_api.h"
#include "fakes/cuda/fake_board.h"
#include "fakes/cuda/fake_cuda.h"

using namespace wattune::backend::nvml;
using wattune::fakes::fake_board;
using wattune::fakes::FakeBoard;
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

// Changes the board, unless the environment says otherwise.
template <typename Change>
nvmlReturn_t set(unsigned FakeBoard::*counter, Change change) {
  const nvmlReturn_t code = from_environment("SET", NVML_SUCCESS);
  if (code != NVML_SUCCESS) return code;
  ++(fake_board().*counter);
  if (from_environment("DEAF", 0) == 0) change(fake_board());
  return NVML_SUCCESS;
}

// As NVML lists clocks: how many, and where there is room, which.
template <typename Clock>
nvmlReturn_t list(unsigned* count, unsigned* clocks, unsigned all, Clock clock) {
  if (clocks != nullptr)
    for (unsigned i = 0; i < all; ++i) clocks[i] = clock(i);
  const bool fits = clocks != nullptr && *count >= all;
  *count = all;
  return fits ? NVML_SUCCESS : 7;  // NVML_ERROR_INSUFFICIENT_SIZE
}

constexpr unsigned kMemoryClocks[] = {FakeBoard::kMemoryClock, 1593};

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
  return answer("CLOCK", megahertz, type == NVML_CLOCK_MEM ? fake_board().memory() : fake_board().graphics());
}

nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t, unsigned long long* bits) {
  return answer("REASONS", bits, static_cast<unsigned long long>(from_environment("BITS", 1)));
}

#ifndef WATTUNE_FAKE_NVML_OLD

nvmlReturn_t nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t, unsigned long long* bits) {
  return answer("REASONS", bits, static_cast<unsigned long long>(from_environment("BITS", 1)));
}

nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t, unsigned long long* millijoules) {
  static unsigned long long questions = 0;
  if (from_environment("STUCK", 0) == 0) ++questions;
  return answer("ENERGY", millijoules, questions / 4 * 1000);
}

nvmlReturn_t nvmlDeviceSetMemoryLockedClocks(nvmlDevice_t, unsigned, unsigned most) {
  return set(&FakeBoard::sets, [=](FakeBoard& board) { board.memory_lock = most; });
}

nvmlReturn_t nvmlDeviceResetMemoryLockedClocks(nvmlDevice_t) {
  return set(&FakeBoard::resets, [](FakeBoard& board) { board.memory_lock = 0; });
}
#endif

nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t, unsigned* milliwatts) {
  return answer("POWER", milliwatts, 350'000u);
}

nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t, int, unsigned* celsius) {
  return answer("TEMPERATURE", celsius, 41u);
}

nvmlReturn_t nvmlDeviceGetSupportedMemoryClocks(nvmlDevice_t, unsigned* count, unsigned* clocks) {
  return list(count, clocks, 2, [](unsigned i) { return kMemoryClocks[i]; });
}

nvmlReturn_t nvmlDeviceGetSupportedGraphicsClocks(nvmlDevice_t, unsigned memory, unsigned* count, unsigned* clocks) {
  const unsigned highest = memory == kMemoryClocks[0] ? 1980 : 1200;
  return list(count, clocks, (highest - 210) / 15 + 1, [=](unsigned i) { return highest - 15 * i; });
}

nvmlReturn_t nvmlDeviceGetPowerManagementLimitConstraints(nvmlDevice_t, unsigned* least, unsigned* most) {
  *least = 200'000;
  *most = 700'000;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetPowerManagementLimit(nvmlDevice_t, unsigned* milliwatts) {
  return answer("LIMIT", milliwatts, fake_board().limit());
}

nvmlReturn_t nvmlDeviceGetPowerManagementDefaultLimit(nvmlDevice_t, unsigned* milliwatts) {
  *milliwatts = FakeBoard::kUsualLimit;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t, char* text, unsigned length) {
  std::snprintf(text, length, "GPU-stand-in");
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t, unsigned* current, unsigned* pending) {
  *current = *pending = static_cast<unsigned>(from_environment("MIG", 0));
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t, unsigned* count, nvmlProcessInfo_t* processes) {
  const unsigned own = static_cast<unsigned>(getpid());
  const unsigned other = static_cast<unsigned>(from_environment("PROCESSES", static_cast<int>(own)));
  const unsigned all = other == 0 ? 0 : other == own ? 1 : 2;
  const bool fits = *count >= all && (processes != nullptr || all == 0);
  *count = all;
  if (fits && all > 0) processes[0].pid = own;
  if (fits && all > 1) processes[1].pid = other;
  return fits ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_SIZE;
}

nvmlReturn_t nvmlDeviceSetGpuLockedClocks(nvmlDevice_t, unsigned, unsigned most) {
  return set(&FakeBoard::sets, [=](FakeBoard& board) { board.graphics_lock = most; });
}

nvmlReturn_t nvmlDeviceResetGpuLockedClocks(nvmlDevice_t) {
  return set(&FakeBoard::resets, [](FakeBoard& board) { board.graphics_lock = 0; });
}

nvmlReturn_t nvmlDeviceSetPowerManagementLimit(nvmlDevice_t, unsigned milliwatts) {
  return set(&FakeBoard::sets, [=](FakeBoard& board) { board.limit_mw = milliwatts; });
}

}  // extern "C"
