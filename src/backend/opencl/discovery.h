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

// A device that an application has. A part of a device (clCreateSubDevices) has the selector of the whole.
Result<ClDevice> describe_device(cl_device_id device);

}  // namespace wattune::backend::opencl
