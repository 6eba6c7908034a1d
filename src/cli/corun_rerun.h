// The best ways of a swept pair, run again in turns beside `paired`. The best of many medians is partly luck. The runs
// that follow give its gain, and tell whether that is more than noise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/corun_sweep.h"
#include "cli/json.h"
#include "wattune/schedule/machine.h"

namespace wattune::cli {

// Fills in `rerun` and `planned`, with as many rounds as the sweep had. On a device each entrant first runs once
// unmeasured. An entrant that fails drops out. Fails with device_lost or cancelled.
Result<void> run_again(const CorunStage& stage, schedule::Machine& machine, const schedule::SweepOptions& options,
                       std::uint64_t seed, SweptPair& pair);

struct PairVerdict {
  const schedule::SweepRow* best = nullptr;       // best way together; nullptr if none could be run
  std::optional<schedule::Gain> gain = {};        // gain of `best` over both kernels alone
  std::optional<schedule::Control> control = {};  // one after the other, compared with both alone
  std::string withheld = {};                      // why gains are not reported; empty if they are

  bool gains() const;
};
// Judges a pair by the runs that followed its sweep.
PairVerdict verdict_of(const SweptPair& pair);

// Compares entrants: a row or `paired` with both kernels alone, or with another row. nullopt if one of them did not run
// again, or if both ran only once.
std::optional<schedule::Gain> gain_over_alone(const SweptPair& pair, const schedule::SweepRow& row);
std::optional<schedule::Gain> gain_between(const SweptPair& pair, const schedule::SweepRow& row,
                                           const schedule::SweepRow& base);
std::optional<schedule::Gain> gain_of_planned(const SweptPair& pair);
// Returns the gain of `paired` without its interval. If they did not both run again, it is relative to the times alone
// of the sweep.
double told_gain_of_planned(const SweptPair& pair);
std::optional<schedule::Gain> gain_of_planned_over(const SweptPair& pair, const schedule::SweepRow& base);

// Returns the names of a pair and why its gains are withheld; empty if they are reported.
std::string why_withheld_of(const SweptPair& pair);

// Describes the verdict on a pair.
std::string verdict_text(const SweptPair& pair);
Json verdict_json(const SweptPair& pair);
Json rerun_json(const SweptPair& pair);

}  // namespace wattune::cli
