// Resources of the device that a compiled kernel takes, as metrics that expressions of the spec may read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tune/evaluate/formula.h"
#include "wattune/backend/device.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/observation.h"

namespace wattune::inline v0_1::tune {

// Returns the resources of several kernels that run one after another: the largest amount of each, and the lowest
// occupancy.
backend::KernelResources worst_of(const backend::KernelResources& a, const backend::KernelResources& b);

// Converts the resources that the backend reported to metrics, named as in resource_names().
std::vector<Metric> metrics_of(const backend::KernelResources& resources);

// Returns the configuration with metrics as further values, for expressions that read these.
Configuration with_metrics(const Configuration& configuration, const std::vector<Metric>& metrics);

// Checks that no parameter has the name of a figure of a measurement. Fails with invalid_argument if a parameter does,
// because expressions would then read the parameter.
Result<void> check_figure_names(const std::vector<Parameter>& parameters);

// The spec's conditions on resources.
class ResourceConstraints {
 public:
  // Compiles the constraints. Fails with parse_error, or with not_found for an unknown name (and the nearest one).
  static Result<ResourceConstraints> compile(const KernelSpec& spec, const std::vector<Parameter>& parameters);

  // Describes the first constraint that does not hold, with the values that it read. Returns an empty text if all hold.
  // A constraint that reads a resource unknown to the backend counts as holding. Fails if an expression cannot be
  // evaluated with these values, as in a division by zero.
  Result<std::string> broken(const std::vector<Metric>& resources, const Configuration& configuration) const;

 private:
  std::vector<Formula<bool>> formulas_;
};

}  // namespace wattune::tune
