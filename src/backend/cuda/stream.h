// A CUDA stream.
#pragma once

#include "backend/cuda/session.h"
#include "wattune/backend/device.h"

namespace wattune::backend::cuda {

Result<std::unique_ptr<Stream>> make_stream(const std::shared_ptr<Session>& session);
// Of the application (attach.h).
Result<std::unique_ptr<Stream>> adopt_stream(const std::shared_ptr<Session>& session, CUstream stream);

}  // namespace wattune::backend::cuda
