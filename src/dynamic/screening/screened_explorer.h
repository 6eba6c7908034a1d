// The explorer of screened kernels, which is the default. It searches in a process of its own, on generated data. Calls
// of the application then try the best few, and their results decide.
#pragma once

#include "dynamic/screening/screening.h"
#include "dynamic/tuning/explorer.h"

namespace wattune::inline v0_1::dynamic {

// Makes the explorer. Strategy, rule and first configurations are those of plan_key_search(), as are the errors. The
// stall_budget outlives the screening. For a key that cannot be screened, the explorer is over at once, and calls run
// the best known. `found` is as for KeyScreening; `gains` are those of the kernel's keys.
Result<std::unique_ptr<Explorer>> make_screened_explorer(std::shared_ptr<const Problem> problem,
                                                         const TuningPolicy& policy,
                                                         const std::vector<Configuration>& known,
                                                         StallBudget& stall_budget, Screening& screening,
                                                         KeyScreening::Found found = {},
                                                         std::shared_ptr<SharedGains> gains = {});

}  // namespace wattune::dynamic
