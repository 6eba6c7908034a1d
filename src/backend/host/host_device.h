// The host's processors as a device, as the registry sees it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "wattune/backend/device.h"

namespace wattune::backend::host {

// All processors that this process may use, as the one device host:0. unavailable, where there is no compiler.
Result<std::vector<DeviceInfo>> discover_devices();

// not_found, naming the selector that exists; unavailable.
Result<std::unique_ptr<Device>> open_device(const std::string& selector);

// Which of the two languages lacks a compiler; empty: none.
std::string missing();

}  // namespace wattune::backend::host
