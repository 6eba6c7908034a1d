// Plans tuning runs on devices of several models, one run for each model.
#pragma once

#include <filesystem>
#include <vector>

#include "cli/tune/tune_options.h"

namespace wattune::cli {

// Returns options for each model that --device names, with the devices of that model and a journal named after it.
Result<std::vector<TuneOptions>> options_by_model(const TuneOptions& options, const KernelSpec& spec,
                                                  const std::filesystem::path& journal);

}  // namespace wattune::cli
