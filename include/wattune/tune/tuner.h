// The offline tuning loop, which drives a Search with evaluators: asks the strategy, evaluates, records and tells,
// until a stop rule holds.
//
// Several evaluators, one for each of several equal devices, work at the same time on one search. An idle one gets the
// next proposal, and Trials come in the order in which they end.
//
// The thread that calls tune() makes all calls, except evaluate() of several evaluators, each of which runs on a thread
// of its own. Other threads may only set `cancel`. Each Trial is in the sink before its device begins the next one.
//
//   WATTUNE_ASSIGN(TuningResult result, tune(space, *strategy, *evaluator, *journal, observer, journal->recovered(),
//   {}));
#pragma once

#include <span>
#include <vector>

#include "wattune/tune/crew.h"
#include "wattune/tune/search.h"

namespace wattune::tune {

// Tells the strategy those `resumed` Trials that count, then loops. An Error of the evaluator (not a failed
// configuration) or of the sink ends the run; everything measured before is in the sink.
//
// With several evaluators each races configurations against the best that it measured itself, and the final runs on the
// first that is left. An evaluator whose device is lost leaves the run, and the loss of the last one is an Error. In
// either case its configuration is recorded as a runtime failure. Precondition: at least one evaluator.
Result<TuningResult> tune(const space::SearchSpace& space, search::Strategy& strategy,
                          std::span<Evaluator* const> evaluators, TrialSink& sink, TuningObserver& observer,
                          const std::vector<Trial>& resumed, const TuningOptions& options);

// Runs the same loop with a crew, whose evaluators may work elsewhere than on threads of this process.
Result<TuningResult> tune(const space::SearchSpace& space, search::Strategy& strategy, Crew& crew, TrialSink& sink,
                          TuningObserver& observer, const std::vector<Trial>& resumed, const TuningOptions& options);

inline Result<TuningResult> tune(const space::SearchSpace& space, search::Strategy& strategy, Evaluator& evaluator,
                                 TrialSink& sink, TuningObserver& observer, const std::vector<Trial>& resumed,
                                 const TuningOptions& options) {
  Evaluator* const alone[] = {&evaluator};
  return tune(space, strategy, alone, sink, observer, resumed, options);
}

}  // namespace wattune::tune
