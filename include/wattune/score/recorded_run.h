// Runs that any program recorded, for the same scorer as the strategies here.
//
// A run is a ResultSet whose Trials are its evaluations in their order, configurations that it asked for again
// included. What an evaluation found is taken from the space's recording, so that all programs are judged by the same
// measurements; only the clock recorded_and_search takes the run's own times.
//
//   WATTUNE_ASSIGN(ResultSet results, store::load_results("diff_evo/convolution.0.json"));
//   WATTUNE_ASSIGN(SearchRun run, recorded_run(scored, results));
#pragma once

#include "wattune/core/trial.h"
#include "wattune/score/score.h"

namespace wattune::score {

// By the space's clock, until its budget is spent:
//   recorded_and_search  what cost_of() says of each Trial, repeated ones too: the published program's clock
//   recorded             the recording's cost of each configuration the first time
//   evaluations          one for each configuration the first time
// On the latter two a configuration outside the space costs nothing and is no evaluation. Errors of tune::ids_in();
// invalid_argument also: the clock takes the run's own times and it has none.
Result<SearchRun> recorded_run(const ScoredSpace& space, const ResultSet& results);

}  // namespace wattune::score
