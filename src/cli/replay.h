// What `--device replay:FILE` needs, the recorded results and a spec to search where none is given, and
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

// What identifies measurements that are replayed: the contents of the file.
Identity recording_identity(const std::string& file);

// The spec of results that come without one: its name and parameters. There is no kernel to run.
KernelSpec recorded_spec(const RunInfo& info);

// What the results of earlier runs say to a search, a list for each file; errors of reading them, and as
// tune::prior_from().
Result<std::vector<std::vector<search::PriorObjective>>> load_priors(const std::vector<std::string>& files,
                                                                     const KernelSpec& spec,
                                                                     const space::SearchSpace& space);

}  // namespace wattune::cli
