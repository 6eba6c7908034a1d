// Determines the objectives of a search, from the command line and the spec.
#pragma once

#include <string>
#include <vector>

#include "cli/tune/tune_options.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::cli {

// Returns the figures of the board that --observe names, and those that the objectives and metrics of the command line
// and the spec read.
std::vector<tune::BoardMetric> metrics_to_observe(const KernelSpec& spec, const TuneOptions& options);

// Adds the metrics and objectives of the command line to the spec's. An objective that is no metric is an expression;
// it becomes a metric with the expression as its name. Fails with invalid_argument if --target, which is a time, is
// combined with another objective, or if a metric is named as an objective twice. Fails with not_found if an objective
// is a metric of the board that was not recorded.
Result<void> add_objectives(const TuneOptions& options, const std::vector<std::string>& observed, KernelSpec& spec);

// Checks the options of a method. Fails with invalid_argument if a method is combined with objectives or a target of
// the user, or with a slowdown that it does not take. Fails with invalid_argument, too, for a base clock without a
// method.
Result<void> check_method(const TuneOptions& options);

}  // namespace wattune::cli
