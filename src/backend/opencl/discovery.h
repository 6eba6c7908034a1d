// The OpenCL devices of this machine.
#pragma once

#include <string>
#include <vector>

#include "backend/opencl/cl_api.h"
#include "wattune/core/device_info.h"

namespace wattune::backend::opencl {

struct ClDevice {
  cl_platform_id platform = nullptr;
  cl_device_id id = nullptr;
  DeviceInfo info;
};

// Every device that is available and has a compiler. Selectors count platforms and devices as OpenCL lists them, so
// that one that is left out does not rename the others. unavailable when there is none, saying what to install.
Result<std::vector<ClDevice>> list_devices();

}  // namespace wattune::backend::opencl
