// Tells whether a failed call may be repeated with another configuration. All functions are pure.
#pragma once

#include "dynamic/calls/problem.h"

namespace wattune::inline v0_1::dynamic {

// True if the call may be repeated after the driver refused a launch of this configuration. Either nothing was launched
// before it, or earlier launches only overwrote memory that no launch reads.
bool can_be_repeated(const Problem& problem, const Configuration& failed);

// Returns the error with the remark that outputs are spoilt, for a call that cannot be repeated.
Error with_spoilt_outputs(Error error);

}  // namespace wattune::dynamic
