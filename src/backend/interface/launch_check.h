// Checks whether a launch is possible at all before it is sent to the driver, because drivers return codes and no
// reasons. The checks use only facts that are known without asking a worker.
#pragma once

#include <span>
#include <string>

#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend {

// Checks a launch. Fails with launch_failed if the geometry or the local memory exceeds the limits of device or kernel.
// Fails with mismatch if the number of arguments differs from the kernel's, or if an argument does not fit its
// parameter. Fails with invalid_argument for abilities that the backend lacks, and for a kernel or buffer that `life`
// did not make.
Result<void> check_launch(const DeviceLife& life, const Kernel& kernel, const Geometry3& geometry,
                          std::span<const LaunchArgument> arguments);

// Returns a launch_failed with this reason.
Error refused(const Kernel& kernel, const std::string& reason);

// Returns the bytes of local memory (CUDA: dynamic shared memory) of all arguments together.
std::uint64_t local_bytes_of(std::span<const LaunchArgument> arguments);

}  // namespace wattune::backend
