// Plan: which strategy a run uses and when it stops, from what the user said, the spec says, and the size of the space.
#pragma once

#include <optional>
#include <string>

#include "wattune/core/kernel_spec.h"
#include "wattune/search/stop_rule.h"
#include "wattune/space/search_space.h"

namespace wattune::cli {

struct Plan {
  std::string strategy;
  search::StopRule stop;
  std::string explanation;  // one line for the user: what was chosen, and why
};

// Any rule in `wanted` replaces the spec's budget; `strategy` (may be empty) replaces the spec's strategy. Without
// either, small spaces are searched exhaustively and large ones for five minutes.
Plan make_plan(const KernelSpec& spec, const space::SearchSpace& space, const std::string& strategy,
               const search::StopRule& wanted);

}  // namespace wattune::cli
