// What an application has before it thinks of tuning: a context, a stream, and the library attached to them.
//
// Drivers are loaded when they are needed, so that the program starts on machines without them.
#pragma once

#include <memory>

#include "wattune/backend/attach.h"
#include "wattune/core/device_info.h"
#include "wattune/core/result.h"
#include "wattune/dynamic/call.h"

namespace batched_gemm {

// Context and stream stay until the program ends.
struct Attached {
  std::unique_ptr<wattune::backend::Device> device;
  std::unique_ptr<wattune::backend::Stream> stream;  // the application's stream, for commands that are no tuned calls
  wattune::dynamic::CallStream call_stream;          // the same, for those that are
};

// unavailable: neither CUDA nor OpenCL, or the driver refuses.
wattune::Result<Attached> attach_to(const wattune::DeviceInfo& info);

}  // namespace batched_gemm
