// What a search is for, by the command line and the spec.
#pragma once

#include <string>
#include <vector>

#include "cli/tune_options.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::cli {

// Adds the metrics and objectives of the command line to the spec's. An objective that is no metric is an expression,
// which becomes a metric of that name. invalid_argument for --target, a time, together with another objective.
Result<void> add_objectives(const TuneOptions& options, const std::vector<std::string>& observed, KernelSpec& spec);

// invalid_argument: a method together with objectives or a target of one's own.
Result<void> check_method(const TuneOptions& options);

}  // namespace wattune::cli
