// Lists the OpenCL devices of this machine.
#pragma once

#include <string>
#include <vector>

#include "backend/opencl/cl_api.h"
#include "wattune/core/device_info.h"

namespace wattune::inline v0_1::backend::opencl {

struct ClDevice {
  cl_platform_id platform = nullptr;
  cl_device_id id = nullptr;
  DeviceInfo info;
};

// Lists every device that is available and has a compiler. Selectors count platforms and devices as OpenCL lists them,
// so a device that is left out does not rename the others. Fails with unavailable, saying what to install, if there is
// none.
Result<std::vector<ClDevice>> list_devices();

// Describes a device of an application. A sub-device (clCreateSubDevices) gets the selector of the whole device.
Result<ClDevice> describe_device(cl_device_id device);

}  // namespace wattune::backend::opencl
