// Describes how a run will search.
#pragma once

#include <string>

#include "wattune/tune/session.h"

namespace wattune::cli {

// Describes the choices of the plan and their reasons in one line.
std::string explain(const tune::Plan& plan, const space::SearchSpace& space);

}  // namespace wattune::cli
