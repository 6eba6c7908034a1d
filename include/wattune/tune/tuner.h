// The offline tuning loop, which drives a Search with evaluators: ask the strategy, evaluate, record, tell, until a
// stop rule holds.
//
// Several evaluators, one for each of several equal devices, work at the same time on one search: whichever is idle
// gets the next proposal, and Trials come in the order in which they end.
//
// Everything is called from the thread that calls tune(), but for evaluate() of several evaluators, each on a thread of
// its own; only `cancel` may be set from elsewhere. Each Trial is in the sink before its device begins the next one.
//
//   WATTUNE_ASSIGN(TuningResult result, tune(space, *strategy, *evaluator, *journal, observer, journal->recovered(),
//   {}));
#pragma once

#include <span>
#include <vector>

#include "wattune/tune/crew.h"
#include "wattune/tune/search.h"

namespace wattune::tune {

// Tells the strategy those `resumed` Trials that count first, then loops. An Error of the evaluator (not a failed
// configuration) or of the sink ends the run; everything measured before is in the sink.
//
// With several evaluators each races configurations against the best that it measured itself, and the final runs on the
// first. One whose device is lost leaves the run. It is an Error when the last one is lost. In either case the
// configuration that it was at is recorded as a runtime failure. Precondition: at least one evaluator.
Result<TuningResult> tune(const space::SearchSpace& space, search::Strategy& strategy,
                          std::span<Evaluator* const> evaluators, TrialSink& sink, TuningObserver& observer,
                          const std::vector<Trial>& resumed, const TuningOptions& options);

// With evaluators that work elsewhere than on threads of this process.
Result<TuningResult> tune(const space::SearchSpace& space, search::Strategy& strategy, Crew& crew, TrialSink& sink,
                          TuningObserver& observer, const std::vector<Trial>& resumed, const TuningOptions& options);

inline Result<TuningResult> tune(const space::SearchSpace& space, search::Strategy& strategy, Evaluator& evaluator,
                                 TrialSink& sink, TuningObserver& observer, const std::vector<Trial>& resumed,
                                 const TuningOptions& options) {
  Evaluator* const alone[] = {&evaluator};
  return tune(space, strategy, alone, sink, observer, resumed, options);
}

}  // namespace wattune::tune
