// Resources: what a compiled kernel takes of the device, as metrics that expressions of the spec may read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tune/formula.h"
#include "wattune/backend/device.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/observation.h"

namespace wattune::tune {

// What several kernels take that run in turns: the most of each, and the least occupancy.
backend::KernelResources worst_of(const backend::KernelResources& a, const backend::KernelResources& b);

// By resource_names(), only what the backend told.
std::vector<Metric> metrics_of(const backend::KernelResources& resources);

// The configuration with metrics as further values, for the expressions that read them.
Configuration with_metrics(const Configuration& configuration, const std::vector<Metric>& metrics);

// invalid_argument: an expression that reads figures of a measurement would take a parameter for one of them.
Result<void> check_figure_names(const std::vector<Parameter>& parameters);

// The spec's conditions on resources.
class ResourceConstraints {
 public:
  // parse_error; not_found (an unknown name, with the nearest one).
  static Result<ResourceConstraints> compile(const KernelSpec& spec, const std::vector<Parameter>& parameters);

  // The first that does not hold, in words with what it read; empty when all hold. What reads a resource that the
  // backend did not tell holds. Errors are what these values make impossible, such as a division by zero.
  Result<std::string> broken(const std::vector<Metric>& resources, const Configuration& configuration) const;

 private:
  std::vector<Formula<bool>> formulas_;
};

}  // namespace wattune::tune
