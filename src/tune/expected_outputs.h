// ExpectedOutputs: what a correct kernel leaves in its outputs, computed once per run from the spec's reference.
//
// The reference sees the default configuration, where anything it needs depends on one. An output whose length
// depends on tuning parameters is scratch memory to a reference, and not compared.
#pragma once

#include <vector>

#include "wattune/backend/device.h"
#include "wattune/core/configuration.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/measure/output_check.h"

namespace wattune::tune {

struct RunState;

struct ExpectedOutput {
  std::size_t argument = 0;  // position in the spec
  ElementType type = ElementType::float32;
  std::vector<std::byte> bytes;
  measure::ResolvedTolerance tolerance;
};

// Empty without a reference. Errors are what the spec got wrong, or what the reference did. `configuration` is the
// default one; the plan and the contents of `run` are compiled.
Result<std::vector<ExpectedOutput>> compute_expected(RunState& run, const Configuration& configuration);

// How `kernel` and the spec's list of arguments disagree.
Result<void> check_argument_count(const backend::Kernel& kernel, const KernelSpec& spec);

}  // namespace wattune::tune
