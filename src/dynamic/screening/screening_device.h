// Finds and opens the application's device in a process of its own, for screening.
#pragma once

#include <memory>
#include <string>

#include "wattune/backend/registry.h"
#include "wattune/backend/worker.h"

namespace wattune::inline v0_1::dynamic {

// True if a device of another process is probably the attached one. That is so if both have the same place on the bus.
// If a place is unknown, the devices must have the same name, platform and driver.
bool is_screening_device(const DeviceInfo& attached, const DeviceInfo& device);

// Returns one of the devices that another process finds. It is the device that `wanted` names. Without a name, it is
// the device at the same place on the bus, or else a device of the same name, platform and driver. Fails with
// not_found.
Result<DeviceInfo> find_screening_device(const DeviceInfo& attached, const std::string& wanted,
                                         const backend::Discovery& discovery);

// Opens the device in a worker. Fails with unavailable if the device accepts no second process (backend/sharing.h), or
// if the worker program does not exist or cannot start. Fails with not_found if the worker does not find the device.
Result<std::unique_ptr<backend::Device>> open_screening_device(const DeviceInfo& attached, const std::string& wanted,
                                                               const backend::WorkerOptions& worker);

}  // namespace wattune::dynamic
