// CUDA devices as a backend.
#pragma once

#include "wattune/backend/device.h"

namespace wattune::backend::cuda {

Result<std::vector<DeviceInfo>> discover_devices();
// selector: "cuda:0". not_found, unavailable.
Result<std::unique_ptr<Device>> open_device(const std::string& selector);
// What the backend lacks though there are devices: a compiler. Empty when nothing.
std::string missing();

}  // namespace wattune::backend::cuda
