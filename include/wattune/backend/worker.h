// Devices in processes of their own. A kernel that crashes, hangs or uses up all memory ends its worker, not the
// caller. The next call then returns device_lost (or timeout), and reset() starts a fresh worker.
//
// The worker is the program `wattune-worker`. It speaks the protocol of worker/protocol.h over a socket pair on file
// descriptor 3. It ends when its parent ends, and so do the programs that it started. Stream commands are collected and
// sent with the next finish(), so a measurement costs one round trip however many launches it has. Any thread may open
// devices, each of which owns its worker. One thread at a time uses a device.
//
//   WATTUNE_ASSIGN(const Discovery found, discover_in_worker());
//   WATTUNE_ASSIGN(const DeviceInfo info, select_device(found, "auto"));
//   WATTUNE_ASSIGN(const auto device, open_device_in_worker(info.selector, {.niceness = 5}));
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "wattune/backend/device.h"
#include "wattune/backend/registry.h"
#include "wattune/core/export.h"

namespace wattune::inline v0_1::backend {

// Returns three quarters of the memory of this machine, or of the container.
WATTUNE_EXPORT std::uint64_t default_memory_limit();

// The options of a worker: plain values.
struct WATTUNE_EXPORT WorkerOptions {
  // The worker program. If empty, it is `wattune-worker` beside the running program, then where Wattune is installed.
  std::filesystem::path executable = {};
  // Upper bound on the private memory of the worker, and of each program that it starts, in bytes. In any case Linux's
  // out-of-memory killer is told to take the worker first.
  std::optional<std::uint64_t> memory_limit_bytes = default_memory_limit();
  // Lets drivers and kernels (printf) write to this program's output and error streams. Otherwise nothing is shown, and
  // the last line of the error stream explains a crash.
  bool show_output = false;
  // The names of environment variables that the worker gets besides those that all workers get (docs/security.md).
  std::vector<std::string> environment = {};
  // The niceness of the worker and all that it starts, as nice(1) counts. With 19 it gets the processor time that
  // others leave.
  int niceness = 0;
  // The time that a worker may take to start and open its device.
  Nanoseconds start_limit = nanoseconds_from_seconds(60);
  // The longest wait for the end of a killed worker. A worker that still exists then is left alone, because its driver
  // holds it.
  Nanoseconds end_limit = nanoseconds_from_seconds(20);
  // A token that stops the worker: once a stop is requested, from any thread, the worker ends. A call that waits for it
  // returns device_lost soon, and no other worker is started. The default never stops.
  std::stop_token stop = {};
};

// Lists the devices in a worker, so that a broken driver cannot hurt the caller. Fails with unavailable if the worker
// cannot start.
WATTUNE_EXPORT Result<Discovery> discover_in_worker(const WorkerOptions& options = {});

// Opens a device in a worker of its own. Fails with not_found or unavailable.
WATTUNE_EXPORT Result<std::unique_ptr<Device>> open_device_in_worker(const std::string& selector,
                                                                     const WorkerOptions& options = {});

// True if the worker died of a SIGKILL that Wattune did not send: somebody killed it, or memory ran out. (If Wattune
// kills a worker, the error is a timeout.)
WATTUNE_EXPORT bool killed_from_outside(const Error& error);

// Runs the whole program `wattune-worker`, with the backends of this process. Serves the client that started the
// program until the client goes away, and returns the exit status. main() calls this function before anything but
// register_backend(), because it forks. A worker program of one's own (WorkerOptions::executable) registers its
// backends before this call; its workers then have them.
WATTUNE_EXPORT int run_worker(int argc, const char* const* argv);

}  // namespace wattune::backend
