// Devices of several models, each of which is tuned apart.
#pragma once

#include <filesystem>
#include <vector>

#include "cli/tune_options.h"

namespace wattune::cli {

// Options for each model that --device names: its devices, and a journal with its name.
Result<std::vector<TuneOptions>> options_by_model(const TuneOptions& options, const KernelSpec& spec,
                                                  const std::filesystem::path& journal);

}  // namespace wattune::cli
