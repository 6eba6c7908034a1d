// Recorded results for `--device replay:FILE` and `--warm-start FILE`, with a spec to search if none is given.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wattune/core/kernel_spec.h"
#include "wattune/core/trial.h"
#include "wattune/search/strategy.h"

namespace wattune::cli {

// Returns the file of "replay:FILE"; nullopt for another device.
std::optional<std::string> replayed_file(const std::string& device);

// Returns the identity of replayed measurements: the hash of the file's contents.
Identity recording_identity(const std::string& file);

// Makes a spec for results that come without one, of their name and parameters. It has no kernel to run.
KernelSpec recorded_spec(const RunInfo& info);

// Loads the results of earlier runs for a search, a list for each file. Fails if they cannot be read, or as
// tune::prior_from() does.
Result<std::vector<std::vector<search::PriorObjective>>> load_priors(const std::vector<std::string>& files,
                                                                     const KernelSpec& spec,
                                                                     const space::SearchSpace& space);

}  // namespace wattune::cli
