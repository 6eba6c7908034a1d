// A CUDA stream.
#pragma once

#include "backend/cuda/dispatcher.h"
#include "wattune/backend/device.h"

namespace wattune::backend::cuda {

Result<std::unique_ptr<Stream>> make_stream(const std::shared_ptr<Dispatcher>& dispatcher);

// Device::finish(). invalid_argument: a stream of another device.
Result<std::vector<SensorSample>> finish_streams(Dispatcher& dispatcher, std::span<Stream* const> streams,
                                                 const Wait& wait);

}  // namespace wattune::backend::cuda
