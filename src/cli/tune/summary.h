// Writes the final report of `wattune tune`, as text and as JSON.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/program/json.h"
#include "cli/tune/sanitize.h"
#include "wattune/core/trial.h"
#include "wattune/tune/search.h"

namespace wattune::cli {

struct Summary {
  const tune::TuningResult& result;
  const RunInfo& info;
  const std::filesystem::path& result_file;
  std::string strategy;
  std::uint64_t seed = 1;
  Uint128 valid = 0;  // number of configurations in the space; an upper bound if not `exact`
  bool exact = true;
  std::optional<Configuration> chosen;  // the configuration that a method chose
  std::optional<Sanitized> sanitized;   // compute-sanitizer's result for the best, if the user asked for it
};

// Describes a Trial, which may have failed: configuration, status, time, clock and metrics. `identity` tells with which
// outputs its own were compared.
std::string trial_text(const Trial& trial, const Identity& identity);

std::string summary_text(const Summary& summary);
// Returns the document of summary_json(), for callers that add to it.
Json summary_document(const Summary& summary);
// Writes the document that docs/formats/json.md describes.
std::string summary_json(const Summary& summary);

}  // namespace wattune::cli
