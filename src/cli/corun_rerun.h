// The best ways in which a pair was swept, run again in turns beside `paired`. The best of many medians is partly luck;
// the runs that follow tell its gain, and whether that is more than noise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/corun_sweep.h"
#include "cli/json.h"
#include "wattune/schedule/machine.h"

namespace wattune::cli {

// Fills in `rerun` and `planned`, by as many rounds as the sweep had. On a device each entrant runs once unmeasured
// before. An entrant that fails drops out. device_lost; cancelled.
Result<void> run_again(const CorunStage& stage, schedule::Machine& machine, const schedule::SweepOptions& options,
                       std::uint64_t seed, SweptPair& pair);

struct PairVerdict {
  const schedule::SweepRow* best = nullptr;       // of the ways together; nullptr: none could be run
  std::optional<schedule::Gain> gain = {};        // of it, over both alone
  std::optional<schedule::Control> control = {};  // one after the other, over both alone
  std::string withheld = {};                      // why nothing is said of gains; empty: it is

  bool gains() const;
};
// Judges a pair by the runs that followed its sweep.
PairVerdict verdict_of(const SweptPair& pair);

// Compares entrants: a row or `paired` with both kernels alone, or with another row. None: one of them did not run
// again, or both ran once only.
std::optional<schedule::Gain> gain_over_alone(const SweptPair& pair, const schedule::SweepRow& row);
std::optional<schedule::Gain> gain_between(const SweptPair& pair, const schedule::SweepRow& row,
                                           const schedule::SweepRow& base);
std::optional<schedule::Gain> gain_of_planned(const SweptPair& pair);
// Returns it without its interval; where they did not both run again, the gain over the times alone of the sweep.
double told_gain_of_planned(const SweptPair& pair);
std::optional<schedule::Gain> gain_of_planned_over(const SweptPair& pair, const schedule::SweepRow& base);

// Words why nothing is said of a pair's gains, behind its names; empty: its gains are told.
std::string why_withheld_of(const SweptPair& pair);

// Words the plain sentence on a pair.
std::string verdict_text(const SweptPair& pair);
Json verdict_json(const SweptPair& pair);
Json rerun_json(const SweptPair& pair);

}  // namespace wattune::cli
