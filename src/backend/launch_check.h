// Is a launch possible at all? Checked before the driver sees it, because drivers give codes, not reasons, and
// because a worker is not asked for what is known here.
#pragma once

#include <span>
#include <string>

#include "wattune/backend/device.h"

namespace wattune::backend {

// launch_failed when the geometry or the local memory exceeds what the device or the kernel allows; mismatch when the
// arguments are not as many as the kernel's, or one of them cannot be passed for its parameter; invalid_argument for
// abilities that the backend lacks, and for a kernel or a buffer that `life` did not make.
Result<void> check_launch(const DeviceLife& life, const Kernel& kernel, const Geometry3& geometry,
                          std::span<const LaunchArgument> arguments);

// launch_failed, for this reason.
Error refused(const Kernel& kernel, const std::string& reason);

// The local memory (CUDA: dynamic shared memory) of all arguments together.
std::uint64_t local_bytes_of(std::span<const LaunchArgument> arguments);

}  // namespace wattune::backend
