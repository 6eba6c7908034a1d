// A CUDA stream.
#pragma once

#include "backend/cuda/dispatcher.h"
#include "backend/cuda/green_contexts.h"
#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend::cuda {

Result<std::unique_ptr<Stream>> make_stream(const std::shared_ptr<Dispatcher>& dispatcher, const StreamOptions& options,
                                            GreenContexts& green_contexts);
// Adopts a stream of the application (attach.h).
Result<std::unique_ptr<Stream>> adopt_stream(const std::shared_ptr<Dispatcher>& dispatcher, CUstream stream);

// Implements Device::finish(). Fails with invalid_argument for a stream of another device.
Result<std::vector<SensorSample>> finish_streams(Dispatcher& dispatcher, std::span<Stream* const> streams,
                                                 const Wait& wait);

// Implements backend::replace_launch().
Result<void> replace_launch(CUgraphExec executable, CUgraphNode node, PreparedLaunch& by);

// Implements Counters::count() of the device in its current life.
Result<std::vector<Metric>> count(const Session& session, Stream& stream, const std::vector<std::string>& counters,
                                  Nanoseconds limit);

}  // namespace wattune::backend::cuda
