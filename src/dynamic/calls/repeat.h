// Tells whether a failed call may be repeated with another configuration. All functions are pure.
#pragma once

#include "dynamic/calls/problem.h"

namespace wattune::inline v0_1::dynamic {

// True if the call may be repeated after the driver refused a launch of this configuration. It may if nothing was
// launched before this launch, or if earlier launches only overwrote memory that no launch reads.
bool can_be_repeated(const Problem& problem, const Configuration& failed);

// Returns the error of a call that cannot be repeated, with the remark that its outputs are incomplete.
Error with_spoilt_outputs(Error error);

}  // namespace wattune::dynamic
