// What the runs came to, for people and programs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "optimum.h"
#include "run.h"
#include "wattune/dynamic/statistics.h"

namespace batched_gemm {

// How a row compares with the optimum of its size (paper 001, table 7).
struct Shares {
  double with_overhead = 0.0;  // of the optimum's work in the same time
  double restricted = 0.0;     // of its speed, by what runs in the end; 0: nothing does, or it was not screened
};
Shares shares_of(const Row& row, const Optimum& optimum);

// All rows of a mode.
struct ModeResult {
  Mode mode = Mode::ours;
  std::vector<Row> rows;
  std::vector<Optimum> optima;  // of each row
  wattune::dynamic::Report report;
};

// The means over the sizes, and sums.
struct Summary {
  double share_of_optimum = 0.0;
  double restricted_share = 0.0;
  double overhead_share = 0.0;  // of the time: what tuning took from the speed of what was chosen
  double longest_call_ms = 0.0;
  std::uint64_t explored = 0;
  std::uint64_t checked = 0;
  std::uint64_t wrong_results = 0;
};
Summary summarize(const ModeResult& result);
// Calls in the same time, beside those of Mode::known: the mean over the sizes.
double share_of_known(const ModeResult& result, const ModeResult& known);

// `known`: the result of Mode::known; nullptr: it was not run.
std::string to_table(const ModeResult& result, const ModeResult* known);
const ModeResult* find_known(const std::vector<ModeResult>& results);
std::string to_json(const Machine& machine, const RunOptions& options, const std::vector<ModeResult>& results);
// The share of the optimum, overhead included, as the time on a size goes by (paper 001, figures 2 and 3).
std::string to_svg(const std::vector<ModeResult>& results, const RunOptions& options);

}  // namespace batched_gemm
