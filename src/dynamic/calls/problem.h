// Problem: one kernel at one key. It consists of the spec with the key's sizes, the space and the launch plan. It is
// immutable, and all parts that handle the key share it.
#pragma once

#include <memory>
#include <vector>

#include "tune/interface/launch_plan.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/dynamic/key.h"
#include "wattune/space/search_space.h"

namespace wattune::inline v0_1::dynamic {

struct Problem {
  Key key;
  KernelSpec spec;                                        // spec, whose source is in the device's language
  std::shared_ptr<const space::SearchSpace> whole_space;  // shared by all problems whose sizes are not parameters
  const space::SearchSpace& space;
  tune::LaunchPlan plan;
  // True if calls of the key may have other sizes, which are given by the calls' scalars. The sizes in `spec` are those
  // of the first call.
  bool has_other_sizes = false;

  // Makes a problem. `sizes` are problem sizes of the spec, or parameters, which then have only that value. `other` is
  // a problem of the same spec. Its space is used again if this problem has the same space. Fails with invalid_argument
  // for an unknown name, and with the errors of building the space and the plan.
  static Result<std::shared_ptr<const Problem>> make(const KernelSpec& spec, const std::vector<NamedSize>& sizes,
                                                     Key key, const Problem* other = nullptr,
                                                     bool has_other_sizes = false);

  // Returns the configuration of KernelOptions::generic in the space of this key. In that space, some parameters may
  // have a single value. Fails if the configuration is not valid at these sizes.
  Result<Configuration> generic(const std::vector<Value>& options) const;
};

}  // namespace wattune::dynamic
