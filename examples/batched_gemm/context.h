// The parts that an application has without any tuning: a context, a stream, and the library attached to them.
//
// Drivers are loaded when they are needed, so that the program starts on machines without them.
#pragma once

#include <memory>

#include "wattune/backend/attach.h"
#include "wattune/core/device_info.h"
#include "wattune/core/result.h"
#include "wattune/dynamic/call.h"

namespace batched_gemm {

// A device with a stream. The context and the stream exist until the program ends.
struct Attached {
  std::unique_ptr<wattune::backend::Device> device;
  std::unique_ptr<wattune::backend::Stream> stream;  // the application's stream, for commands other than tuned calls
  wattune::dynamic::CallStream call_stream;          // the same stream, for tuned calls
};

// Makes a context and a stream on the device. Fails with unavailable if the device has neither CUDA nor OpenCL, or if
// the driver refuses.
wattune::Result<Attached> attach_to(const wattune::DeviceInfo& info);

}  // namespace batched_gemm
