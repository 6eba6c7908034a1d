// The backends of this process and their devices: what there is, and how to open one. Any thread may call; who opens a
// device owns it.
//
// CUDA, OpenCL and the host's processors are there from the start. Others (a simulated device, one that belongs to an
// application) are registered as values, and then are found and opened like them. A worker is another process: it has
// what its own main() registers before run_worker() (worker.h).
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

// What makes devices. All that it does, any thread may ask for at any time.
struct Backend {
  std::string name;  // also the first part of its selectors: "mine:0"
  // The devices that are there, with `name` as DeviceInfo::backend. unavailable, saying what to install.
  std::function<Result<std::vector<DeviceInfo>>()> discover;
  // not_found, naming the selectors that exist; unavailable.
  std::function<Result<std::unique_ptr<Device>>(const std::string& selector)> open;
  // What it lacks though there are devices, in words, or nothing; empty: it never lacks anything.
  std::function<std::string()> missing = {};
  // compile_image() for the targets that name this backend; empty: only its devices compile.
  std::function<Result<Image>(const CompileTarget& target, const KernelSource& source, std::span<const Macro> macros,
                              Nanoseconds limit)>
      compile = {};
  // Among devices of one kind those of the higher preference are chosen. CUDA's is 30, OpenCL's 20, the host's 10.
  int preference = 0;
};

// invalid_argument: a name that cannot stand in a selector, a part that is missing; already_exists.
Result<void> register_backend(Backend backend);
// Its open devices work on. Does nothing when there is none of that name.
void unregister_backend(const std::string& name);

// Looks at every backend, the preferred first. Loads drivers into this process: a driver that crashes takes the caller
// along, so programs ask a worker instead (worker.h).
Discovery discover();

// Opens a device in this process by its selector ("opencl:0:0", platform and device index).
// not_found, naming the selectors that exist; unavailable.
Result<std::unique_ptr<Device>> open_device(const std::string& selector);

// Compiles for a target that Device::compile_target() told, in this process, without the open device: compile_failed
// with the log, unavailable (no compiler), timeout, invalid_argument (a backend that compiles on its devices only).
// For OpenCL it keeps a context of the device from then on.
Result<Image> compile_image(const CompileTarget& target, const KernelSource& source, std::span<const Macro> macros,
                            Nanoseconds limit);

// The device that "auto" means: GPUs before accelerators before CPUs before simulated ones, then the backend that is
// listed first, as discover() does with the preferred, then by compute units times clock. It points into `devices`;
// nullptr when there is none.
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
