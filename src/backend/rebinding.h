// What PreparedLaunches answer whose argument cannot be replaced as somebody wants.
#pragma once

#include <cstddef>
#include <span>

#include "wattune/backend/launch.h"

namespace wattune::backend {

// To set_scalar(): invalid_argument. To set_memory(): unavailable.
Error no_such_scalar(const Kernel& kernel, std::size_t argument, std::span<const std::byte> bytes);
Error no_such_memory(const Kernel& kernel, std::size_t argument);

}  // namespace wattune::backend
