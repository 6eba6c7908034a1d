// The devices that kernels are tuned on: finds them, groups them by model, and opens them. Each is opened in a worker
// process of its own, or in this process if asked for. Any thread may call; the caller of open_device() owns the
// device.
//
//   WATTUNE_ASSIGN(const auto devices, find_devices_for(spec, "cuda:all", where));
//   WATTUNE_ASSIGN(const auto device, open_device(devices.front().selector, where));
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "wattune/backend/registry.h"
#include "wattune/backend/worker.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::tune {

// The place where drivers are loaded.
struct DriverHost {
  bool in_process = false;  // in this process, which a crashing kernel ends
  backend::WorkerOptions worker = {};
};

Result<backend::Discovery> find_devices(const DriverHost& where = {});

// Returns the devices that the user named ("auto", a selector, a list of selectors, a backend, part of a name) and that
// compile one of the spec's languages.
// Fails with unavailable, saying why, if there is no device; with not_found, mismatch or invalid_argument as
// backend::select_devices().
Result<std::vector<DeviceInfo>> find_devices_for(const KernelSpec& spec, const std::string& wanted,
                                                 const DriverHost& where = {});

// Groups devices by model, so that times within one group can be compared. Groups come in the order of their first
// devices.
std::vector<std::vector<DeviceInfo>> by_model(const std::vector<DeviceInfo>& devices);

// Describes devices of one model, as in "NVIDIA H200 (cuda:0, cuda:1)".
std::string describe(const std::vector<DeviceInfo>& devices);

Result<std::unique_ptr<backend::Device>> open_device(const std::string& selector, const DriverHost& where = {});

}  // namespace wattune::tune
