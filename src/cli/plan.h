// How a run will search, in words.
#pragma once

#include <string>

#include "wattune/tune/plan.h"

namespace wattune::cli {

// One line: what was chosen, and why.
std::string explain(const tune::Plan& plan, const space::SearchSpace& space);

}  // namespace wattune::cli
