// The choice of the next way that two kernels try, for the policy `paired`.
//
// A pair may have ways that have never been measured, such as whole kernels in streams or at each split of the SMs.
// Real works try them, one work of each kernel at a time. Forecasts only order these trials: no way is given up without
// a measured bound, and no way is kept without works that ran in it. So a wrong forecast costs time, but not the end
// result.
#pragma once

#include <optional>

#include "schedule/policy/shares.h"

namespace wattune::inline v0_1::schedule {

// Returns the way that the next works of the two should try; nullopt if none is worth it. `pair.forecast` tells the
// clocks. A trial that is under way goes on, and two works that run otherwise are not stopped for one.
//
// - If ten works of each are expected, streams come first, then splits for whole kernels, and then one ratio of shared
//   SMs. Other ratios follow if their forecasts, as corrected by the first one, gain over all that was measured.
// - A split is tried if the splits that ran leave room for a gain: with more SMs a kernel is not slower, and at most
//   faster in proportion. Streams are tried once, and priorities if streams came near to the best way.
// - A way that was measured runs once more if it is about as good as the best, until its speed is sure. The best way of
//   whole kernels does so once in 100 rounds, since its speed may have changed.
// - Trials may cost 1 % of the time that the pair has run, and two rounds of both kernels, or three where many streams
//   may run. A pair that had its trials in an earlier run gets no rounds. A trial that has begun may cost half a round
//   more.
std::optional<PairForecast> next_trial(const CandidatePair& pair, const QueueView& view, const PairTable& table,
                                       const PolicyOptions& options);

// True if the pair's gain is found by trials. Then, apart from trials, it runs only in ways that were measured.
bool waits_for_trials(const CandidatePair& pair, const QueueView& view, const PairTable& table,
                      const PolicyOptions& options);

}  // namespace wattune::schedule
