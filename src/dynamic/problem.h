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
  KernelSpec spec;                                        // in the device's language
  std::shared_ptr<const space::SearchSpace> whole_space;  // shared by all problems whose sizes are no parameters
  const space::SearchSpace& space;
  tune::LaunchPlan plan;
  // Calls of the key may have other sizes, which their scalars tell; those of `spec` are the first call's.
  bool has_other_sizes = false;

  // `sizes` are problem sizes of the spec, or parameters, whose values become that one value. invalid_argument:
  // neither; errors of the space and of the plan. `other`: a problem of the same spec, whose space is used again where
  // it is the same.
  static Result<std::shared_ptr<const Problem>> make(const KernelSpec& spec, const std::vector<NamedSize>& sizes,
                                                     Key key, const Problem* other = nullptr,
                                                     bool has_other_sizes = false);

  // KernelOptions::generic here, where some parameters have one value. An error: it is not valid at these sizes.
  Result<Configuration> generic(const std::vector<Value>& options) const;
};

}  // namespace wattune::dynamic
