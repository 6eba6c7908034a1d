// Loads recorded results for `--device replay:FILE` and `--warm-start FILE`. Makes a spec for them if the user gives
// none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wattune/core/kernel_spec.h"
#include "wattune/core/trial.h"
#include "wattune/tune/session.h"

namespace wattune::cli {

// Returns the file of "replay:FILE"; nullopt for another device.
std::optional<std::string> replayed_file(const std::string& device);

// Loads the results that answer in the place of a device.
Result<tune::Replay> load_replay(const std::string& file);

// Makes a spec for results without one, with their name and objectives. The spec has no kernel to run, and no
// parameters, because those of the results count.
KernelSpec recorded_spec(const RunInfo& info);

// Loads the results of earlier runs that a search starts from.
Result<std::vector<tune::EarlierResults>> load_earlier(const std::vector<std::string>& files);

}  // namespace wattune::cli
