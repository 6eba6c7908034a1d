// Recorded runs: runs of any program, which are scored in the same way as Wattune's own strategies.
//
// A run is a ResultSet whose Trials are its evaluations in their order, repeated configurations included. The objective
// of an evaluation is taken from the space's recording, so that all programs are judged by the same measurements. Only
// the clock recorded_and_search takes the run's own times.
//
//   WATTUNE_ASSIGN(ResultSet results, store::load_evaluations("diff_evo/convolution.0.json"));
//   WATTUNE_ASSIGN(SearchRun run, recorded_run(scored, results));
#pragma once

#include "score/interface/score.h"
#include "wattune/core/trial.h"

namespace wattune::inline v0_1::score {

// Converts a recorded run to the points of a score, by the space's clock, until its budget is spent. An evaluation
// costs, by clock:
//   recorded_and_search  cost_of() each Trial, repeated ones too: the published program's clock
//   recorded             the recording's cost of each configuration, when it comes first
//   evaluations          one for each configuration, when it comes first
//
// With the latter two clocks, a configuration outside the space costs nothing and is no evaluation. Fails as
// tune::ids_in() does. Fails with invalid_argument if the clock takes the run's own times and the run has none.
Result<SearchRun> recorded_run(const ScoredSpace& space, const ResultSet& results);

}  // namespace wattune::score
