// ExpectedOutputs: the contents that a correct kernel leaves in its outputs, computed by the spec's reference, or by
// the default configuration if there is none.
//
// A C++ function sees the scalars of the configuration that is checked, as the kernel does, and is called once for each
// set of scalars. A reference kernel runs once, with the values of the default configuration. Its outputs, or those in
// files, are expected of all configurations. An output whose length depends on tuning parameters is scratch memory to a
// reference. Such an output is compared only if the spec says how many of its elements count, or that their sum counts.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "tune/interface/compared_parts.h"
#include "tune/interface/launch_plan.h"
#include "wattune/backend/device.h"
#include "wattune/core/configuration.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/tune/evaluator.h"

namespace wattune::inline v0_1::tune {

struct EvaluationContext;

struct ExpectedOutput {
  std::size_t argument = 0;           // position of the argument in the spec
  std::optional<std::size_t> length;  // number of elements from the beginning that are compared; empty for all
  std::vector<std::byte> bytes;
  PartRules rules = {};
};

// Returns the outputs whose expected contents are the same for all configurations, without these contents. Fails with
// errors of their expressions.
Result<std::vector<ExpectedOutput>> comparable_outputs(const EvaluationContext& run);
// Checks the lengths to compare. Fails with invalid_argument if one is larger than its output.
Result<void> check_lengths(EvaluationContext& run, const Configuration& configuration,
                           const std::vector<ExpectedOutput>& outputs);
// Returns the vector argument if the argument is an output; otherwise nullptr.
const VectorArgument* as_output(const Argument& argument);

class ExpectedOutputs {
 public:
  // Computes the expected outputs, as far as they do not depend on the configuration; without this call, nothing is
  // compared. `standard` is the default configuration; plan and contents of `run` must be compiled. Fails with mistakes
  // of the spec, or failures of the reference.
  Result<void> start(EvaluationContext& run, const Configuration& standard);

  // Returns the outputs that are expected of `configuration`; an empty list if no outputs are compared. The result is
  // valid until the next call.
  Result<const std::vector<ExpectedOutput>*> of(EvaluationContext& run, const Configuration& configuration);

  const Verification& verification() const { return verification_; }

 private:
  struct Answer {
    std::vector<std::byte> scalars;  // scalars, one after another; only for reference functions
    std::vector<ExpectedOutput> outputs;
  };

  Result<std::vector<ExpectedOutput>> compute(EvaluationContext& run, const Configuration& configuration);
  // Drops the oldest expected outputs until the rest have at most this many bytes.
  void forget_beyond(std::size_t most);

  std::optional<Configuration> standard_;
  std::deque<Answer> answers_;  // answers, the newest first
  Verification verification_;
};

}  // namespace wattune::tune
