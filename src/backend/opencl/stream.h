// An in-order OpenCL command queue.
#pragma once

#include "backend/opencl/session.h"
#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend::opencl {

Result<std::unique_ptr<Stream>> make_stream(const std::shared_ptr<Session>& session);
// Adopts a queue of the application (attach.h).
Result<std::unique_ptr<Stream>> adopt_stream(const std::shared_ptr<Session>& session, cl_command_queue queue);

}  // namespace wattune::backend::opencl
