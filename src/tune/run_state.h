// RunState: what all attempts of one run share. Not movable: its parts refer to each other.
#pragma once

#include <optional>
#include <vector>

#include "tune/adaptive_limits.h"
#include "tune/argument_contents.h"
#include "tune/expected_outputs.h"
#include "tune/kernel_session.h"
#include "tune/launch_plan.h"
#include "wattune/backend/device.h"
#include "wattune/measure/policy.h"

namespace wattune::tune {

struct RunState {
  RunState(const KernelSpec& kernel_spec, backend::Device& run_device, const measure::MeasurePolicy& run_policy,
           const Limits& run_limits)
      : spec(kernel_spec), device(run_device), policy(run_policy), limits(run_limits) {}
  RunState(const RunState&) = delete;
  RunState& operator=(const RunState&) = delete;

  const KernelSpec spec;
  backend::Device& device;
  const measure::MeasurePolicy& policy;
  AdaptiveLimits limits;
  LaunchPlan plan;
  ArgumentContents contents{spec.arguments};
  KernelSession session{spec.arguments, contents, device};
  std::vector<ExpectedOutput> expected;  // empty: nothing is compared
  std::optional<Statistics> incumbent;   // of the best configuration so far
  bool spec_fits_kernel = false;         // some configuration was launched with the spec's arguments
};

}  // namespace wattune::tune
