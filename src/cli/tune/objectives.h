// The objectives of a search, from the command line and the spec.
#pragma once

#include <string>
#include <vector>

#include "cli/tune/tune_options.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::cli {

// Returns the figures of the board that --observe names, and those that the objectives and metrics of the command line
// and the spec read.
std::vector<tune::BoardMetric> metrics_to_observe(const KernelSpec& spec, const TuneOptions& options);

// Adds the metrics and objectives of the command line to the spec's. An objective that is no metric is an expression,
// which becomes a metric of that name. Fails with invalid_argument if --target, a time, meets another objective, or if
// one metric is two objectives. Fails with not_found if an objective is a metric of the board that was not recorded.
Result<void> add_objectives(const TuneOptions& options, const std::vector<std::string>& observed, KernelSpec& spec);

// Fails with invalid_argument if a method meets objectives or a target of the user, or a slowdown that it does not
// know. A base clock without a method is an invalid_argument, too.
Result<void> check_method(const TuneOptions& options);

}  // namespace wattune::cli
