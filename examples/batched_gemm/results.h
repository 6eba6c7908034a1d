// The results of all runs, as text for people and as JSON for programs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "optimum.h"
#include "run.h"
#include "wattune/dynamic/statistics.h"

namespace batched_gemm {

// The results of a row as shares of the optimum of its size (Petrovic et al. 2020, table 7).
struct Shares {
  double with_overhead = 0.0;  // calls in the same time, relative to the application with the optimum known
  double of_time = 0.0;        // calls, relative to the number that the optimum's own time would allow
  double restricted = 0.0;     // speed of the final configuration; 0 if there is none, or it was not screened
};

// All rows of a mode.
struct ModeResult {
  Mode mode = Mode::ours;
  std::vector<Row> rows;
  wattune::dynamic::Report report;
};

// The results of all modes, and those with the optima known from the beginning. Each list of rows and the list of
// optima has the same sizes in the same order.
struct Results {
  std::vector<ModeResult> modes;
  ModeResult known;  // Mode::known
  std::vector<Optimum> optima;

  Shares shares_of(const ModeResult& result, std::size_t i) const;
};

// Means of the shares over the sizes, and sums of the counts.
struct Summary {
  double share_of_optimum = 0.0;  // Shares::with_overhead
  double share_of_optimum_time = 0.0;
  double restricted_share = 0.0;
  double overhead_share = 0.0;  // the part of the time by which tuning slowed the chosen configurations
  double longest_call_ms = 0.0;
  std::uint64_t explored = 0;
  std::uint64_t checked = 0;
  std::uint64_t wrong_results = 0;
};
Summary summarize(const Results& results, const ModeResult& result);

std::string to_table(const Results& results, const ModeResult& result);
std::string to_json(const Machine& machine, const RunOptions& options, const Results& results);
// Draws the share of the optimum, with overhead, against the time spent on a size (Petrovic et al. 2020, figures 2 and
// 3).
std::string to_svg(const Results& results, const RunOptions& options);

}  // namespace batched_gemm
