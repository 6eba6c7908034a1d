// Calls a C++ reference in a child process on shared memory, so that its crash ends nothing else.
#pragma once

#include <cstddef>
#include <vector>

#include "wattune/measure/arguments.h"

namespace wattune::measure {

using ReferenceSignature = void (*)(void* const* arguments, const std::size_t* lengths);

// Calls `function` on `arguments`, which it changes in place. invalid_argument: it threw, crashed or ended the process;
// unavailable: no memory or no process for it.
Result<void> call_isolated(ReferenceSignature function, std::vector<HostArgument>& arguments);

}  // namespace wattune::measure
