// Draws how an objective other than the time became better while the search went on.
#pragma once

#include <string>

#include "report/interface/page.h"
#include "report/page/tuning_run.h"

namespace wattune::inline v0_1::report {

struct ObjectiveHistory {
  std::string svg;
  PageTable steps;  // the evaluations at which the best value changed
};

// Draws the history. Precondition: the run has an answer and an objective.
ObjectiveHistory objective_history(const TuningRun& run);

}  // namespace wattune::report
