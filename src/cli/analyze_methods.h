// `wattune analyze --methods`: what the procedures for energy come to on a recorded space.
#pragma once

#include <string>
#include <vector>

#include "cli/json.h"
#include "wattune/core/trial.h"
#include "wattune/report/analysis.h"
#include "wattune/tune/methods.h"

namespace wattune::cli {

struct MethodsReport {
  std::vector<tune::MethodOutcome> outcomes;
  std::vector<report::AtClock> clocks;  // of the results
  std::string fit_text;                 // what a model makes of the energy against the clock
  Json fit;                             // the same, null where there is none
  std::string clocks_missing;           // why methods that change clocks are left out; empty: they are not
};

// `results` outlive it. Errors of tune::compare_methods() and Recording::match().
Result<MethodsReport> report_methods(const ResultSet& results);

std::string methods_text(const MethodsReport& report, std::size_t width);
// docs/formats/json.md.
Json methods_json(const MethodsReport& report);

}  // namespace wattune::cli
