// Whether a second process can compute on a device beside an application, and what memory is left for it there. Any
// thread.
//
//   WATTUNE_TRY(check_second_process(device.info()));
//   const std::uint64_t most = free_memory(device) / 4;
#pragma once

#include <cstdint>

#include "wattune/backend/device.h"

namespace wattune::backend {

// unavailable: a board in CUDA's exclusive-process mode lets no second process in, and under MPS, which runs all
// processes in one, what breaks one of them breaks the application. Other devices say nothing against it.
Result<void> check_second_process(const DeviceInfo& device);

// Bytes that nobody has taken; of a device that does not tell, all that it has.
std::uint64_t free_memory(Device& device);

}  // namespace wattune::backend
