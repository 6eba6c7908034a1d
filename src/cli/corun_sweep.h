// The sweep of `wattune corun`: pairs of kernels and their gains in every way in which a machine can run them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/corun_stage.h"
#include "cli/corun_verdict.h"
#include "cli/json.h"
#include "wattune/schedule/forecast.h"
#include "wattune/schedule/pair_sweep.h"

namespace wattune::cli {

// The comparison of a pair's outputs after the kernels ran together.
struct OutputVerdict {
  std::size_t compared = 0;              // ways in which both ran once
  std::vector<std::string> differences;  // one line each, with kernel and way
  // Kernels that are not compared, because they have no output or the spec compares none.
  std::vector<std::string> not_compared = {};
};

// The same work under the policy `paired`.
struct PlannedRun {
  schedule::PairForecast forecast = {};  // the forecast that it plans by
  Nanoseconds makespan;
  double gain = 0.0;  // gain over both alone
  std::optional<Error> failure = {};
};

// The best rows, run again in turns. Entrants of the times are both kernels alone, the rows and `paired`. No times are
// recorded if a version that ran nothing again swept the pair.
struct Rerun {
  std::vector<std::size_t> rows = {};  // positions in the sweep, ascending
  schedule::RoundTimes times = {};
};

struct SweptPair {
  std::array<std::string, 2> names;
  schedule::MachineLimits limits;
  schedule::PairSweep sweep;
  PlannedRun planned;
  std::optional<OutputVerdict> outputs;  // absent if these kernels have no outputs
  Rerun rerun = {};

  bool is_right() const { return !outputs || outputs->differences.empty(); }
};

struct Prospect;
class SweepJournal;

// Sweeps every two of the stage's kernels, or finds them in the journal, if there is one, and hands out each pair.
// `seed` gives the orders in which the best ways run again. Fails as sweep_pair(), the journal and `take` do.
Result<void> sweep_all(CorunStage& stage, const schedule::SweepOptions& options, std::uint64_t seed,
                       SweepJournal* journal, const std::function<Result<void>(SweptPair)>& take);

std::string sweep_text(const CorunStage& stage, const Prospect& prospect, const SweptPair& pair);
// Writes the pairs as JSON. Precondition: no more pairs than prospects.
Json sweep_json(const CorunStage& stage, const std::vector<Prospect>& prospects, const std::vector<SweptPair>& pairs);
std::string sweep_svg(const CorunStage& stage, const SweptPair& pair);

// Returns "18.6 J", or a dash if the energy is unknown.
std::string energy_text(std::optional<Joules> energy);

}  // namespace wattune::cli
