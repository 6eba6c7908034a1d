// Makes the host's processors a device of the registry.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend::host {

// Lists all processors that this process may use, as the one device host:0. Fails with unavailable if there is no
// compiler.
Result<std::vector<DeviceInfo>> discover_devices();

// Opens the device. Fails with not_found, naming the selector that exists, or with unavailable.
Result<std::unique_ptr<Device>> open_device(const std::string& selector);

// Tells for which of the languages C and C++ there is no compiler. Returns an empty text if both have one.
std::string missing();

}  // namespace wattune::backend::host
