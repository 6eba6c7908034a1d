// The devices of this machine, over all backends compiled in, and how to open one. Any thread may call; who opens a
// device owns it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "wattune/backend/device.h"

namespace wattune::backend {

// Whether a backend can be used here, and what is missing ("libOpenCL.so.1 not found: install ocl-icd-libopencl1").
struct BackendStatus {
  std::string backend;
  bool available = false;
  std::string reason;  // why not, or what it has to do without; empty when nothing is missing
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

// Compiles for a target that Device::compile_target() told, in this process, without the device: compile_failed with
// the log, unavailable (no compiler), timeout, invalid_argument (a backend that compiles on its devices only).
Result<Image> compile_image(const CompileTarget& target, const KernelSource& source, std::span<const Macro> macros,
                            Nanoseconds limit);

// What a device compiles; at least one.
std::vector<Language> languages_of(const DeviceInfo& device);

// The device that "auto" means: GPUs before accelerators before CPUs, then CUDA before OpenCL before the host, then
// by compute units times clock. It points into `devices`; nullptr when there is none.
const DeviceInfo* best_device(const std::vector<DeviceInfo>& devices);

// Resolves what a user typed ("auto", a selector, a backend name, or part of a device's name) to one device that
// compiles one of `languages` (none: any). not_found, naming what exists; mismatch when no such device compiles them.
Result<DeviceInfo> select_device(const Discovery& discovery, const std::string& wanted,
                                 const std::vector<Language>& languages = {});

// The same for several: with commas between them, or all of a backend ("cuda:all"). In the order of their naming.
// Errors as of select_device(); invalid_argument: a device is named twice.
Result<std::vector<DeviceInfo>> select_devices(const Discovery& discovery, const std::string& wanted,
                                               const std::vector<Language>& languages = {});

}  // namespace wattune::backend
