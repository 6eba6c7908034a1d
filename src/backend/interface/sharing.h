// Tells whether a second process can compute on an application's device, and how much of its memory is free. Any thread
// may call the functions.
//
//   WATTUNE_TRY(check_second_process(device.info()));
//   const std::uint64_t most = free_memory(device) / 4;
#pragma once

#include <cstdint>

#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend {

// Checks whether a second process may use the device. Fails with unavailable for a board in CUDA's exclusive-process
// mode, which lets no second process in. Fails with unavailable under MPS too: MPS runs all processes in one context,
// so an error in one breaks the application. Other devices pass.
Result<void> check_second_process(const DeviceInfo& device);

// Returns the bytes of device memory that are free; the whole memory if the device does not report this.
std::uint64_t free_memory(Device& device);

}  // namespace wattune::backend
