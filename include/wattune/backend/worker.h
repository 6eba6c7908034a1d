// Devices in a process of their own: a kernel that crashes, hangs or eats all memory ends its worker, not the
// caller. The next call after that returns device_lost (or timeout) and reset() starts a fresh worker.
//
// The worker is the program `wattune-worker`, which speaks the protocol of worker/protocol.h over a socket pair
// on file descriptor 3 and dies with its parent, and with it all that it started. Stream commands are collected and
// sent with the next finish(), so a measurement costs one round trip however many launches it has. Any thread may open
// devices, each of which owns its worker; one thread uses a device at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "wattune/backend/device.h"
#include "wattune/backend/registry.h"

namespace wattune::backend {

// Three quarters of the memory of this machine, or of the container.
std::uint64_t default_memory_limit();

struct WorkerOptions {
  // The worker program; empty: `wattune-worker` beside the running program, then where Wattune is installed.
  std::filesystem::path executable = {};
  // Upper bound on the private memory of the worker, and of each program that it starts, in bytes; 0: no bound. The
  // kernel's out-of-memory killer is told to take the worker first in any case.
  std::uint64_t memory_limit_bytes = default_memory_limit();
  // Lets drivers and kernels (printf) write to this program's output and error streams. Otherwise nothing is shown, and
  // the last line of the error stream explains a crash.
  bool show_output = false;
  // Variables of the environment that it gets, by name, beside those that all workers get (docs/security.md).
  std::vector<std::string> environment = {};
  // Of the worker and all that it starts, as nice(1) counts: with 19 it gets what the others leave of the processors.
  int niceness = 0;
  // How long a worker may take to start and open its device.
  Nanoseconds start_limit = nanoseconds_from_seconds(60);
  // How long it may take to be gone when it was killed; then it is left alone, because the driver keeps it.
  Nanoseconds end_limit = nanoseconds_from_seconds(20);
  // Once a stop is requested, from any thread, the worker ends: a call that waits for it returns device_lost soon, and
  // no other is started. Default: never.
  std::stop_token stop = {};
};

// Discovery in a worker, so that a broken driver cannot hurt the caller. unavailable when the worker cannot start.
Result<Discovery> discover_in_worker(const WorkerOptions& options = {});

// Opens a device in a worker of its own. not_found, unavailable.
Result<std::unique_ptr<Device>> open_device_in_worker(const std::string& selector, const WorkerOptions& options = {});

// The worker died of a SIGKILL that is not ours (those are timeouts): somebody's hand, or memory exhaustion.
bool killed_from_outside(const Error& error);

// The whole of the program `wattune-worker`: serves the client that started it until that goes away, with the backends
// of this process; returns the exit status. For main(), before anything but register_backend(), because it forks. A
// program of one's own (WorkerOptions::executable) that registers first so brings its backends into workers.
int run_worker(int argc, const char* const* argv);

}  // namespace wattune::backend
