// Calls a C++ reference in a child process on shared memory, so that its crash ends nothing else.
#pragma once

#include <cstddef>
#include <vector>

#include "wattune/core/units.h"
#include "wattune/measure/arguments.h"

namespace wattune::measure {

using ReferenceSignature = void (*)(void* const* arguments, const std::size_t* lengths);

inline constexpr Nanoseconds kReferenceLimit = nanoseconds_from_seconds(600);

// Calls `function` on `arguments`, which it changes in place. invalid_argument: it threw, crashed or ended the process;
// timeout; cancelled: Ctrl-C or SIGTERM ended it; unavailable: no memory or no process for it.
Result<void> call_isolated(ReferenceSignature function, std::vector<HostArgument>& arguments,
                           Nanoseconds limit = kReferenceLimit);

}  // namespace wattune::measure
