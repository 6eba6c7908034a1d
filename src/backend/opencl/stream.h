// An in-order OpenCL command queue.
#pragma once

#include "backend/opencl/session.h"
#include "wattune/backend/device.h"

namespace wattune::backend::opencl {

Result<std::unique_ptr<Stream>> make_stream(const std::shared_ptr<Session>& session);

}  // namespace wattune::backend::opencl
