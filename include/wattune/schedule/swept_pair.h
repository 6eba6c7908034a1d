// SweptPair: two kernels that ran together in every way, with the best ways run again in turns.
//
// The best of many medians is partly luck. The runs that follow a sweep give its gain, and tell whether that is more
// than noise. The types are values and the functions are pure, so any thread may use them.
//
//   const PairVerdict verdict = verdict_of(pair);
//   if (verdict.gains()) print(describe(verdict.best->arrangement, pair.limits), verdict.gain->gain);
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "wattune/core/export.h"
#include "wattune/core/result.h"
#include "wattune/schedule/forecast.h"
#include "wattune/schedule/pair_sweep.h"
#include "wattune/schedule/round_times.h"

namespace wattune::inline v0_1::schedule {

// The comparison of a pair's outputs after the kernels ran together with those of each kernel alone.
struct WATTUNE_EXPORT OutputVerdict {
  std::size_t compared = 0;              // ways in which both ran once
  std::vector<std::string> differences;  // one line each, with kernel and way
  // Kernels that are not compared, because they have no output or the spec compares none.
  std::vector<std::string> not_compared = {};
};

// The run of the same kernels under the policy `paired`.
struct WATTUNE_EXPORT PlannedRun {
  PairForecast forecast = {};  // the forecast by which it plans
  Nanoseconds makespan;
  double gain = 0.0;  // gain over both alone
  std::optional<Error> failure = {};
};

// The best rows, run again in turns. The entrants (round_times.h) are both kernels alone, the rows and `paired`. No
// times are recorded if an older version swept the pair, because it ran nothing again.
struct WATTUNE_EXPORT Rerun {
  std::vector<std::size_t> rows = {};  // positions in the sweep, ascending
  RoundTimes times = {};
};

// The sweep of a pair, with the runs that followed it.
struct WATTUNE_EXPORT SweptPair {
  std::array<std::string, 2> names;
  MachineLimits limits;
  PairSweep sweep;
  PlannedRun planned;
  std::optional<OutputVerdict> outputs;  // absent if these kernels have no outputs
  Rerun rerun = {};

  bool is_right() const { return !outputs || outputs->differences.empty(); }
};

// The reasons why a gain is not reported.
enum class Withheld {
  no,
  not_run_again,  // an older version swept the pair, which ran nothing again
  one_round,      // there is only one round, which does not show the noise
  failed_again,   // the best ways, or both kernels one after the other, failed when they ran again
  control_off,    // one after the other, the kernels do not take as long as the sum of both alone
};

// The best way of a pair, and whether its gain counts.
struct WATTUNE_EXPORT PairVerdict {
  const SweepRow* best = nullptr;       // best way together; nullptr if none could be run
  std::optional<Gain> gain = {};        // gain of `best` over both kernels alone
  std::optional<Control> control = {};  // time of both one after the other, compared with the sum of both alone
  Withheld withheld = Withheld::no;

  // True if gains are reported, and this one is at least 2 % and more than noise.
  bool gains() const;
};
// Judges a pair by the runs that followed its sweep.
WATTUNE_EXPORT PairVerdict verdict_of(const SweptPair& pair);

// Returns the gain of one entrant over another: a row or `paired` over both kernels alone, or over another row. Returns
// nullopt if one of them did not run again, or if both ran only once in measured time.
WATTUNE_EXPORT std::optional<Gain> gain_over_alone(const SweptPair& pair, const SweepRow& row);
WATTUNE_EXPORT std::optional<Gain> gain_between(const SweptPair& pair, const SweepRow& row, const SweepRow& base);
WATTUNE_EXPORT std::optional<Gain> gain_of_planned(const SweptPair& pair);
WATTUNE_EXPORT std::optional<Gain> gain_of_planned_over(const SweptPair& pair, const SweepRow& base);
// Returns the rounds of a row or `paired` and of another row, the base first, for mean_gain() over several pairs.
WATTUNE_EXPORT std::optional<RoundTimes> rounds_over(const SweptPair& pair, const SweepRow& row, const SweepRow& base);
WATTUNE_EXPORT std::optional<RoundTimes> rounds_of_planned_over(const SweptPair& pair, const SweepRow& base);
// Returns the gain of a row over both kernels alone in the rounds of the sweep. The interval holds with 95 % for this
// row by itself. Among many rows, some true gains lie outside of their intervals, and the best row is partly luck.
// Returns nullopt if there was a single round.
WATTUNE_EXPORT std::optional<Gain> gain_in_sweep(const PairSweep& sweep, const SweepRow& row);
// Returns the gain of `paired` without its interval. If `paired` and the kernels alone did not both run again, the gain
// is relative to the kernels' times alone in the sweep.
WATTUNE_EXPORT double told_gain_of_planned(const SweptPair& pair);
// Returns the median time of both kernels alone, or of a row, in the rounds in which the best rows ran again.
// Precondition: the best rows ran again.
WATTUNE_EXPORT Nanoseconds time_alone_again(const SweptPair& pair);
WATTUNE_EXPORT Nanoseconds time_again(const SweptPair& pair, const SweepRow& row);

}  // namespace wattune::schedule
