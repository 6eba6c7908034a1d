// Devices of several models, of which each is tuned separately.
#pragma once

#include <filesystem>
#include <vector>

#include "cli/tune/tune_options.h"

namespace wattune::cli {

// Returns options for each model that --device names, with its devices and a journal that has its name.
Result<std::vector<TuneOptions>> options_by_model(const TuneOptions& options, const KernelSpec& spec,
                                                  const std::filesystem::path& journal);

}  // namespace wattune::cli
