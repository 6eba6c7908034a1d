// The OpenCL backend as the registry sees it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "wattune/backend/device.h"

namespace wattune::backend::opencl {

// unavailable, saying what to install.
Result<std::vector<DeviceInfo>> discover_devices();

// not_found, naming the selectors that exist; unavailable.
Result<std::unique_ptr<Device>> open_device(const std::string& selector);

}  // namespace wattune::backend::opencl
