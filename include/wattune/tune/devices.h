// The devices that kernels are tuned on: found, grouped and opened, each in a worker process of its own, or in this
// process when asked. Any thread may call; who opens a device owns it.
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

// Where drivers are loaded.
struct DriverHost {
  bool in_process = false;  // in this process, which a kernel that crashes ends
  backend::WorkerOptions worker = {};
};

Result<backend::Discovery> find_devices(const DriverHost& where = {});

// The devices that the user named ("auto", a selector, a list of them, a backend, part of a name), of those that
// compile one of the spec's languages. unavailable when there is no device, saying why; not_found; mismatch;
// invalid_argument.
Result<std::vector<DeviceInfo>> find_devices_for(const KernelSpec& spec, const std::string& wanted,
                                                 const DriverHost& where = {});

// By model, so that times of those in one group compare; in the order of their first devices.
std::vector<std::vector<DeviceInfo>> by_model(const std::vector<DeviceInfo>& devices);

// Devices of one model: "NVIDIA H200 (cuda:0, cuda:1)".
std::string describe(const std::vector<DeviceInfo>& devices);

Result<std::unique_ptr<backend::Device>> open_device(const std::string& selector, const DriverHost& where = {});

}  // namespace wattune::tune
