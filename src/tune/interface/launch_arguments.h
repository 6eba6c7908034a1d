// Makes the list of arguments with which a step of a planned launch calls its kernel. A pure function.
#pragma once

#include <span>
#include <vector>

#include "tune/interface/launch_plan.h"

namespace wattune::inline v0_1::tune {

// Returns the arguments of the step. `buffers` has the buffer of each argument, or nullptr, which becomes a null
// pointer.
std::vector<backend::LaunchArgument> launch_arguments(const std::vector<Argument>& arguments, const Launch& launch,
                                                      const PlannedStep& step,
                                                      std::span<const backend::Buffer* const> buffers);

}  // namespace wattune::tune
