// Whether a call that failed may be made again with another configuration. Pure functions.
#pragma once

#include "dynamic/problem.h"

namespace wattune::dynamic {

// The driver refused a launch of the configuration: nothing was launched before it in the call, or what was has only
// overwritten memory that no launch reads.
bool can_be_repeated(const Problem& problem, const Configuration& failed);

// The same error for a call that cannot.
Error with_spoilt_outputs(Error error);

}  // namespace wattune::dynamic
