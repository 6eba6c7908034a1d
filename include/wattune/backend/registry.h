// The backends of this process and their devices: which exist, and how to open one. Any thread may call; the caller
// owns the device that it opens.
//
// CUDA, OpenCL and the host's processors are registered from the start. Others (a simulated device, one that belongs to
// an application) are registered as values, and are then found and opened like them. A worker is another process: it
// has the backends that its own main() registers before run_worker() (worker.h).
//
//   WATTUNE_TRY(register_backend({.name = "mine", .discover = list_mine, .open = open_mine}));
//   WATTUNE_ASSIGN(DeviceInfo info, select_device(discover(), "mine:0"));
//   WATTUNE_ASSIGN(auto device, open_device(info.selector));
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "wattune/backend/device.h"
#include "wattune/core/export.h"

namespace wattune::inline v0_1::backend {

// The state of a backend on this machine.
struct WATTUNE_EXPORT BackendStatus {
  std::string backend;
  bool available = false;
  std::string reason;  // why it cannot be used, or which parts are missing; empty if nothing is missing
};

// The devices that were found, and the state of every backend.
struct WATTUNE_EXPORT Discovery {
  std::vector<DeviceInfo> devices;
  std::vector<BackendStatus> backends;
};

// A maker of devices. Any thread may call its functions at any time.
struct WATTUNE_EXPORT Backend {
  std::string name;  // also the first part of its selectors: "mine:0"
  // Lists the devices that exist, with `name` as DeviceInfo::backend. Fails with unavailable, saying what to install.
  std::function<Result<std::vector<DeviceInfo>>()> discover;
  // Opens a device. Fails with not_found, naming the selectors that exist, or with unavailable.
  std::function<Result<std::unique_ptr<Device>>(const std::string& selector)> open;
  // Function that names, in words, the parts that the backend lacks although it has devices; its text may be empty. The
  // function itself is empty for a backend that never lacks a part.
  std::function<std::string()> missing = {};
  // Compiles images for the targets that name this backend (compile_image()). The function is empty if only the
  // backend's devices compile.
  std::function<Result<Image>(const CompileTarget& target, const KernelSource& source, std::span<const Macro> macros,
                              Nanoseconds limit)>
      compile = {};
  // Rank of the backend: among devices of one kind, those of the backend with the highest preference are chosen. CUDA's
  // is 30, OpenCL's 20, the host's 10.
  int preference = 0;
};

// Registers a backend. Fails with invalid_argument if its name cannot stand in a selector or a part is missing, with
// already_exists if the name is taken.
WATTUNE_EXPORT Result<void> register_backend(Backend backend);
// Removes a backend. Devices that it has opened continue to work. Does nothing if there is none of that name.
WATTUNE_EXPORT void unregister_backend(const std::string& name);

// Lists the devices and the state of every backend, in the order of Backend::preference. Loads drivers into this
// process, which ends if a driver crashes. Therefore programs ask a worker instead (worker.h).
WATTUNE_EXPORT Discovery discover();

// Opens a device in this process by its selector ("opencl:0:0", platform and device index). Fails with not_found,
// naming the selectors that exist, or with unavailable.
WATTUNE_EXPORT Result<std::unique_ptr<Device>> open_device(const std::string& selector);

// Compiles in this process, without an open device, for a target that Device::compile_target() returned. Fails with
// compile_failed and the log, unavailable (no compiler), timeout, or invalid_argument (a backend that compiles only on
// its devices). For OpenCL the process keeps a context of the device from then on.
WATTUNE_EXPORT Result<Image> compile_image(const CompileTarget& target, const KernelSource& source,
                                           std::span<const Macro> macros, Nanoseconds limit);

// Returns the device that "auto" means. GPUs come before accelerators, these before CPUs, and these before simulated
// devices. Among devices of one kind the backend decides: the one whose devices come first in the list, which is the
// preferred one in a list of discover(). Among its devices the product of compute units and clock decides. The result
// points into `devices`; nullptr if that is empty.
WATTUNE_EXPORT const DeviceInfo* best_device(const std::vector<DeviceInfo>& devices);

// Resolves what a user typed ("auto", a selector, a backend name, or part of a device's name) to one device that
// compiles one of `languages`; an empty list allows any. Fails with not_found, naming the devices that exist, or with
// mismatch if no such device compiles these languages.
WATTUNE_EXPORT Result<DeviceInfo> select_device(const Discovery& discovery, const std::string& wanted,
                                                const std::vector<Language>& languages = {});

// Resolves several devices: a list with commas, or all of a backend ("cuda:all"). Returns them in the order of their
// naming. Errors are those of select_device(), and invalid_argument if a device is named twice.
WATTUNE_EXPORT Result<std::vector<DeviceInfo>> select_devices(const Discovery& discovery, const std::string& wanted,
                                                              const std::vector<Language>& languages = {});

}  // namespace wattune::backend
