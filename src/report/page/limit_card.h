// Tells how near the best configuration is to a limit of the device.
#pragma once

#include "report/interface/page.h"
#include "report/page/tuning_run.h"

namespace wattune::inline v0_1::report {

// True if the best has a share of a peak: one that a counter gave, or a rate of its own beside a published peak.
bool has_limit(const TuningRun& run);

// Tells the nearest limit, or that none is known. Precondition: the run has an answer.
PageCard limit_card(const TuningRun& run);

}  // namespace wattune::report
