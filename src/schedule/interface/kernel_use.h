// The shares of a GPU's resources that a kernel keeps busy alone: by the device's own counters if they may be read, and
// otherwise by the interpreter's counts (counted_use.h).
//
// Counters see which accesses the caches answer, so their shares of L2 and DRAM are exact. Many devices reserve them
// for administrators. One thread at a time reads them, and nothing else runs on the device meanwhile; any thread may
// call the other functions. After a process has read CUDA's counters, it gets no more streams on SMs of their own.
// Therefore a device in a worker should read them.
//
//   traits.use_by_counters = schedule::read_use(*device, *kernel).value();
//   traits.utilisation = schedule::known_utilisation(traits);
#pragma once

#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "schedule/interface/loaded_kernel.h"
#include "wattune/backend/device.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"
#include "wattune/schedule/machine.h"

namespace wattune::inline v0_1::schedule {

// Returns the names of the counters that read_use() reads, by resource in the order of simulate::use_of().
std::vector<std::string> counters_of_use();

// Returns why the driver of NVIDIA's boards does not let this process read counters; empty if it may, or if that is
// unknown. Takes the driver's settings (/proc/driver/nvidia/params) and the process's files `status` and `uid_map` in
// /proc. The driver gives counters to administrators only if `RmProfilingAdminOnly` is 1.
std::string why_no_counters(std::istream& settings, std::istream& status, std::istream& uid_map);

// Runs the kernel once for each pass that the counters need, from the original contents of what it reads and writes.
// Returns the share of each resource, 0 to 1; nullopt for a resource whose counter has no value. `limit` bounds all
// passes together. Fails with unavailable if the device has no counters or does not permit to read them, and with
// errors of the launch.
Result<std::vector<std::optional<double>>> read_use(backend::Device& device, const LoadedKernel& kernel,
                                                    Nanoseconds limit = nanoseconds_from_seconds(60));

// Returns the share of each resource: by the counters if they tell it, and otherwise by the interpreter's counts.
// Returns an empty list if the share of some resource is unknown.
std::vector<double> known_use(const KernelTraits& kernel);
// Returns PUR and MUR by the rule of known_use(); nullopt if either is unknown.
std::optional<model::Utilisation> known_utilisation(const KernelTraits& kernel);

}  // namespace wattune::schedule
