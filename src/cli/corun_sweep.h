// What `wattune corun` says of pairs: what they gain in every way in which a machine can run them.
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

// Of a pair after they ran together.
struct OutputVerdict {
  std::size_t compared = 0;              // ways in which both ran, each once
  std::vector<std::string> differences;  // one line each, with kernel and way
  // Kernels of which nothing is compared, as they have no output, or none that the spec compares.
  std::vector<std::string> not_compared = {};
};

// The same work by the policy `paired`.
struct PlannedRun {
  schedule::PairForecast forecast = {};  // that it plans by
  Nanoseconds makespan;
  double gain = 0.0;  // over both alone
  std::optional<Error> failure = {};
};

// The best rows, run again in turns. Entrants of the times: both kernels alone, the rows, `paired`. No times: a version
// that ran nothing again swept the pair.
struct Rerun {
  std::vector<std::size_t> rows = {};  // their places in the sweep, ascending
  schedule::RoundTimes times = {};
};

struct SweptPair {
  std::array<std::string, 2> names;
  schedule::MachineLimits limits;
  schedule::PairSweep sweep;
  PlannedRun planned;
  std::optional<OutputVerdict> outputs;  // none: these kernels compute nothing
  Rerun rerun = {};

  bool is_right() const { return !outputs || outputs->differences.empty(); }
};

struct Prospect;
class SweepJournal;

// Every two of the stage's kernels, each handed out when it was swept, or found in the journal, if there is one.
// Errors of sweep_pair(), of the journal and of `take`.
// `seed`: of the orders in which the best ways run again.
Result<void> sweep_all(CorunStage& stage, const schedule::SweepOptions& options, std::uint64_t seed,
                       SweepJournal* journal, const std::function<Result<void>(SweptPair)>& take);

std::string sweep_text(const CorunStage& stage, const Prospect& prospect, const SweptPair& pair);
// Precondition: no more pairs than prospects.
Json sweep_json(const CorunStage& stage, const std::vector<Prospect>& prospects, const std::vector<SweptPair>& pairs);
std::string sweep_svg(const CorunStage& stage, const SweptPair& pair);

// "18.6 J", or a dash.
std::string energy_text(std::optional<Joules> energy);

}  // namespace wattune::cli
