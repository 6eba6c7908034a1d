// Reserves the private memory of kernels (CUDA: local memory), which the driver allocates for the whole context.
#pragma once

#include <memory>

#include "backend/cuda/session.h"

namespace wattune::inline v0_1::backend::cuda {

// Implements backend::make_room_for_private_memory() for a device.
Result<void> make_room_for_private_memory(const std::shared_ptr<Session>& session, std::size_t bytes);

}  // namespace wattune::backend::cuda
