// What `--device replay:FILE` needs, the recorded results and a problem to search when there is no spec, and
// `--warm-start FILE`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wattune/core/kernel_spec.h"
#include "wattune/core/trial.h"
#include "wattune/search/strategy.h"

namespace wattune::cli {

// The file of "replay:FILE"; nothing for another device.
std::optional<std::string> replayed_file(const std::string& device);

// The problem of results that come without a spec: its name and parameters. There is no kernel to run.
KernelSpec recorded_spec(const RunInfo& info);

// The results of earlier runs for a search of `space`, a list for each file. mismatch: a file of other parameters, or
// none of whose configurations is in the space.
Result<std::vector<std::vector<search::PriorObjective>>> load_priors(const std::vector<std::string>& files,
                                                                     const space::SearchSpace& space);

}  // namespace wattune::cli
