// Makes the errors of a PreparedLaunch whose argument cannot be replaced as requested.
#pragma once

#include <cstddef>
#include <span>

#include "wattune/backend/launch.h"

namespace wattune::inline v0_1::backend {

// The next two functions return the errors of set_scalar() (invalid_argument) and of set_memory() (unavailable).

Error no_such_scalar(const Kernel& kernel, std::size_t argument, std::span<const std::byte> bytes);
Error no_such_memory(const Kernel& kernel, std::size_t argument);

}  // namespace wattune::backend
