// The settings of the stand-in for NVML: it lists the possible values, and sets them.
#include <algorithm>

#include "fakes/nvml/devices.h"

using namespace wattune;
using namespace wattune::backend::nvml;
using namespace wattune::fakes;

namespace {

// Returns the result of setting something: WATTUNE_FAKE_NVML_SET.
nvmlReturn_t permission() { return from_environment("SET", NVML_SUCCESS); }

// Returns the result of setting application clocks, which everybody may set if the restriction is lifted.
nvmlReturn_t application_permission() {
  return from_environment("RESTRICTED", NVML_FEATURE_ENABLED) == NVML_FEATURE_DISABLED ? NVML_SUCCESS : permission();
}

// Changes the board, unless it is not permitted, or WATTUNE_FAKE_NVML_DEAF accepts the call without a change.
template <typename Change>
nvmlReturn_t change(nvmlReturn_t code, unsigned& counter, Change change) {
  if (code != NVML_SUCCESS) return code;
  ++counter;
  if (from_environment("DEAF", 0) == 0) change();
  return NVML_SUCCESS;
}

// Lists clocks as NVML does: their number and, if there is room, the clocks.
nvmlReturn_t list(const std::vector<unsigned>& all, unsigned* count, unsigned* clocks) {
  const bool fits = clocks != nullptr && *count >= all.size();
  *count = static_cast<unsigned>(all.size());
  if (!fits) return NVML_ERROR_INSUFFICIENT_SIZE;
  std::ranges::copy(all, clocks);
  return NVML_SUCCESS;
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetSupportedMemoryClocks(nvmlDevice_t device, unsigned* count, unsigned* clocks) {
  WATTUNE_FAKE_NVML_ENTRY();
  return list(face_of(device).memory_clocks(), count, clocks);
}

nvmlReturn_t nvmlDeviceGetSupportedGraphicsClocks(nvmlDevice_t device, unsigned memory, unsigned* count,
                                                  unsigned* clocks) {
  WATTUNE_FAKE_NVML_ENTRY();
  if (!std::ranges::count(face_of(device).memory_clocks(), memory)) return NVML_ERROR_NOT_FOUND;
  return list(face_of(device).graphics_clocks(memory), count, clocks);
}

nvmlReturn_t nvmlDeviceSetGpuLockedClocks(nvmlDevice_t device, unsigned, unsigned most) {
  WATTUNE_FAKE_NVML_ENTRY();
  FakeBoard& board = board_of(device);
  return change(permission(), board.sets, [&] { board.graphics_lock = most; });
}

nvmlReturn_t nvmlDeviceResetGpuLockedClocks(nvmlDevice_t device) {
  WATTUNE_FAKE_NVML_ENTRY();
  FakeBoard& board = board_of(device);
  return change(permission(), board.resets, [&] { board.graphics_lock = 0; });
}

nvmlReturn_t nvmlDeviceSetApplicationsClocks(nvmlDevice_t device, unsigned memory, unsigned graphics) {
  WATTUNE_FAKE_NVML_ENTRY();
  FakeBoard& board = board_of(device);
  const std::vector<unsigned> clocks = face_of(device).graphics_clocks(memory);
  if (!std::ranges::count(face_of(device).memory_clocks(), memory) || !std::ranges::count(clocks, graphics))
    return NVML_ERROR_INVALID_ARGUMENT;
  return change(application_permission(), board.sets, [&] {
    board.memory_application = memory;
    board.graphics_application = graphics;
  });
}

nvmlReturn_t nvmlDeviceResetApplicationsClocks(nvmlDevice_t device) {
  WATTUNE_FAKE_NVML_ENTRY();
  FakeBoard& board = board_of(device);
  return change(application_permission(), board.resets,
                [&] { board.memory_application = board.graphics_application = 0; });
}

nvmlReturn_t nvmlDeviceSetPowerManagementLimit(nvmlDevice_t device, unsigned milliwatts) {
  WATTUNE_FAKE_NVML_ENTRY();
  FakeBoard& board = board_of(device);
  const LimitRange range = face_of(device).limits();
  if (milliwatts < range.least_mw || milliwatts > range.most_mw) return NVML_ERROR_INVALID_ARGUMENT;
  return change(permission(), board.sets, [&] { board.limit_mw = milliwatts; });
}

#ifndef WATTUNE_FAKE_NVML_OLD

nvmlReturn_t nvmlDeviceSetMemoryLockedClocks(nvmlDevice_t device, unsigned, unsigned most) {
  WATTUNE_FAKE_NVML_ENTRY();
  if (!face_of(device).locks_memory()) return NVML_ERROR_NOT_SUPPORTED;
  FakeBoard& board = board_of(device);
  return change(permission(), board.sets, [&] { board.memory_lock = most; });
}

nvmlReturn_t nvmlDeviceResetMemoryLockedClocks(nvmlDevice_t device) {
  WATTUNE_FAKE_NVML_ENTRY();
  if (!face_of(device).locks_memory()) return NVML_ERROR_NOT_SUPPORTED;
  FakeBoard& board = board_of(device);
  return change(permission(), board.resets, [&] { board.memory_lock = 0; });
}

#endif

}  // extern "C"
