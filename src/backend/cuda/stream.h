// A CUDA stream.
#pragma once

#include "backend/cuda/session.h"
#include "wattune/backend/device.h"

namespace wattune::backend::cuda {

Result<std::unique_ptr<Stream>> make_stream(const std::shared_ptr<Session>& session);
// Of the application (attach.h).
Result<std::unique_ptr<Stream>> adopt_stream(const std::shared_ptr<Session>& session, CUstream stream);
// Counters::count().
Result<std::vector<Metric>> count(Stream& stream, const std::vector<std::string>& counters, Nanoseconds limit);

}  // namespace wattune::backend::cuda
