// Lists the launches in an application's graphs.
#pragma once

#include <vector>

#include "backend/cuda/session.h"
#include "wattune/backend/attach.h"

namespace wattune::inline v0_1::backend::cuda {

// Implements backend::launches_in() for a device. Precondition: the session is entered.
Result<std::vector<GraphLaunch>> launches_in(Session& session, CUgraph graph);

}  // namespace wattune::backend::cuda
