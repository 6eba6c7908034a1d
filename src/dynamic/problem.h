// Problem: one kernel at one key: its spec with the sizes of the key, its space, what its launches are. Immutable once
// made; shared by all that handle the key.
#pragma once

#include <memory>
#include <vector>

#include "tune/launch_plan.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/dynamic/key.h"
#include "wattune/space/search_space.h"

namespace wattune::dynamic {

struct Problem {
  Key key;
  KernelSpec spec;  // in the device's language
  space::SearchSpace space;
  tune::LaunchPlan plan;

  // `sizes` are problem sizes of the spec, or parameters, whose values become that one value. invalid_argument:
  // neither; errors of the space and of the plan.
  static Result<std::shared_ptr<const Problem>> make(const KernelSpec& spec, const std::vector<NamedSize>& sizes,
                                                     Key key);
};

}  // namespace wattune::dynamic
