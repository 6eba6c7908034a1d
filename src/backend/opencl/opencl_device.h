// Makes OpenCL devices available as a backend.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend::opencl {

// Lists the devices. Fails with unavailable, saying what to install.
Result<std::vector<DeviceInfo>> discover_devices();

// Opens a device. Fails with not_found, naming the selectors that exist, or with unavailable.
Result<std::unique_ptr<Device>> open_device(const std::string& selector);

}  // namespace wattune::backend::opencl
