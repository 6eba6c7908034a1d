// Words for the way in which a run will search.
#pragma once

#include <string>

#include "wattune/tune/plan.h"

namespace wattune::cli {

// Words the choices of the plan and their reasons in one line.
std::string explain(const tune::Plan& plan, const space::SearchSpace& space);

}  // namespace wattune::cli
