// The parts of a results.json document, which a database stores separately.
#pragma once

#include <filesystem>
#include <string>

#include "store/interface/document.h"
#include "store/interface/timestamp.h"
#include "wattune/core/trial.h"

namespace wattune::inline v0_1::store {

// Returns the document without its Trials, as the text of an object.
std::string run_text(const RunInfo& info);
// Returns an element of the document's list `trials`, as the text of an object.
std::string trial_text(const Trial& trial);
std::string configuration_text(const Configuration& configuration);
Result<ResultSet> read_json(const Document& document, const std::filesystem::path& file);

}  // namespace wattune::store
