// Reports the outcomes of the methods for energy on a recorded space, for `wattune analyze --methods`.
#pragma once

#include <string>
#include <vector>

#include "cli/program/json.h"
#include "report/interface/analysis.h"
#include "tune/interface/methods.h"
#include "wattune/core/trial.h"
#include "wattune/tune/advise.h"

namespace wattune::cli {

struct MethodsReport {
  std::vector<tune::MethodOutcome> outcomes;
  std::vector<report::AtClock> clocks;  // time and energy at each recorded clock
  std::string fit_text;                 // description of the model of energy against clock
  Json fit;                             // the same model as JSON; null if none was fitted
  std::string clocks_missing;           // why methods that change clocks are left out; empty if they are included
  std::vector<std::string> doubts;      // sentences on recorded figures that are impossible or unusual
};

// Replays the methods; `results` must outlive the report. The method `advised` needs other kernels. Fails as
// tune::compare_methods(), Recording::match() and tune::advised_clock() do.
Result<MethodsReport> report_methods(const ResultSet& results, const std::vector<tune::MeasuredKernel>& others);

std::string methods_text(const MethodsReport& report, std::size_t width);
// Writes the members that docs/formats/json.md describes.
Json methods_json(const MethodsReport& report);

}  // namespace wattune::cli
