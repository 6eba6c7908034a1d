// The device of the screening process: the application's, in a process of its own.
#pragma once

#include <memory>
#include <string>

#include "wattune/backend/registry.h"
#include "wattune/backend/worker.h"

namespace wattune::dynamic {

// Whether a device of another process is the attached one, as far as can be told: it is at the same place on the bus,
// or where that is unknown of the same name, platform and driver.
bool is_screening_device(const DeviceInfo& attached, const DeviceInfo& device);

// Of the devices that another process finds: the one that `wanted` names; else the one at the same place on the bus, or
// else one of the same name, platform and driver. not_found.
Result<DeviceInfo> find_screening_device(const DeviceInfo& attached, const std::string& wanted,
                                         const backend::Discovery& discovery);

// Opens it in a worker. unavailable: the device takes no second process (backend/sharing.h), there is no worker
// program, or it cannot start; not_found.
Result<std::unique_ptr<backend::Device>> open_screening_device(const DeviceInfo& attached, const std::string& wanted,
                                                               const backend::WorkerOptions& worker);

}  // namespace wattune::dynamic
