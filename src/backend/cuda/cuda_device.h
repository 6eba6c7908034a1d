// Makes CUDA devices available as a backend.
#pragma once

#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend::cuda {

Result<std::vector<DeviceInfo>> discover_devices();
// Opens a device by its selector ("cuda:0"). Fails with not_found or unavailable.
Result<std::unique_ptr<Device>> open_device(const std::string& selector);
// Describes the parts that are missing although there are devices: a compiler, NVML, or a driver as new as the
// compiler. Returns an empty text if nothing is missing.
std::string missing();

}  // namespace wattune::backend::cuda
