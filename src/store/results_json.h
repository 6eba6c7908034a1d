// The parts of results.json, of which a database holds each by itself.
#pragma once

#include <filesystem>
#include <string>

#include "store/document.h"
#include "store/timestamp.h"
#include "wattune/core/trial.h"

namespace wattune::store {

// The document without its Trials: an object.
std::string run_text(const RunInfo& info);
// One of `trials`: an object.
std::string trial_text(const Trial& trial);
std::string configuration_text(const Configuration& configuration);
Result<ResultSet> read_json(const Document& document, const std::filesystem::path& file);

}  // namespace wattune::store
