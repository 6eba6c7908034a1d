// What `wattune tune` says at its end, for people and for machines.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/json.h"
#include "cli/sanitize.h"
#include "wattune/core/trial.h"
#include "wattune/tune/tuner.h"

namespace wattune::cli {

struct Summary {
  const tune::TuningResult& result;
  const RunInfo& info;
  const std::filesystem::path& result_file;
  std::string strategy;
  std::uint64_t seed = 1;
  Uint128 valid = 0;  // configurations in the space; if not `exact` there are fewer
  bool exact = true;
  std::optional<Configuration> chosen;  // that a method settled on
  std::optional<Sanitized> sanitized;   // of the best, when asked for
};

// A Trial that may have failed: its configuration, status, time, clock, metrics, and with what it was compared, which
// `identity` has.
std::string trial_text(const Trial& trial, const Identity& identity);

std::string summary_text(const Summary& summary);
// The document of summary_json(), for those who add to it.
Json summary_document(const Summary& summary);
// docs/formats/json.md.
std::string summary_json(const Summary& summary);

}  // namespace wattune::cli
