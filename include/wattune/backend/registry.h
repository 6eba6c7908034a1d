// The devices of this machine, over all backends compiled in, and how to open one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "wattune/backend/device.h"

namespace wattune::backend {

// A backend that could not be used here, and why ("libOpenCL.so.1 not found: install ocl-icd-libopencl1").
struct BackendStatus {
  std::string backend;
  bool available = false;
  std::string reason;  // empty when available
};

struct Discovery {
  std::vector<DeviceInfo> devices;
  std::vector<BackendStatus> backends;
};

// Looks at every backend. Loads drivers into this process: a driver that crashes takes the caller along, so
// programs ask a worker instead (worker.h).
Discovery discover();

// Opens a device in this process by its selector ("opencl:0:0", platform and device index).
// not_found, naming the selectors that exist; unavailable.
Result<std::unique_ptr<Device>> open_device(const std::string& selector);

// The device that "auto" means: GPUs before accelerators before CPUs, then by compute units times clock.
// nullptr when there is none.
const DeviceInfo* best_device(const std::vector<DeviceInfo>& devices);

// Resolves what a user typed ("auto", a selector, a backend name, or part of a device's name) to one device.
// not_found, naming what exists.
Result<DeviceInfo> select_device(const Discovery& discovery, const std::string& wanted);

}  // namespace wattune::backend
