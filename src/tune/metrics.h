// Metrics: the spec's figures of a measurement, and the target that its first objective makes of them.
#pragma once

#include <string>
#include <vector>

#include "tune/formula.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/observation.h"
#include "wattune/tune/evaluator.h"

namespace wattune::tune {

class Metrics {
 public:
  // invalid_argument (a name that is taken), parse_error, not_found (an unknown name, with the nearest one).
  static Result<Metrics> compile(const KernelSpec& spec, const std::vector<Parameter>& parameters,
                                 const std::vector<Quantity>& observed);

  // Computes all of them from the median. Errors are what this configuration's values make impossible, such as a
  // division by zero. Precondition: the observation has statistics.
  Result<void> add_to(Observation& observation, const Configuration& configuration) const;

 private:
  struct Compiled {
    std::string name;
    Formula<Value> formula;
  };
  std::vector<Compiled> metrics_;
  std::optional<Objective> objective_;  // the first, unless it is the least time
};

}  // namespace wattune::tune
