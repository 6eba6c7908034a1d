// The explorer of screened kernels, which is the default. It searches in a process of its own, on generated data. Then
// calls of the application try the best few configurations, and the times of these calls decide.
#pragma once

#include "dynamic/screening/screening.h"
#include "dynamic/tuning/explorer.h"

namespace wattune::inline v0_1::dynamic {

// Makes the explorer. The strategy, the stop rule and the first configurations are those of plan_key_search(), as are
// the errors. The stall budget must outlive the screening. For a key that cannot be screened, the explorer is over at
// once, and calls run the best known configuration. `found` is called as in KeyScreening. `gains` are the gains of all
// keys of the kernel.
Result<std::unique_ptr<Explorer>> make_screened_explorer(std::shared_ptr<const Problem> problem,
                                                         const TuningPolicy& policy,
                                                         const std::vector<Configuration>& known,
                                                         StallBudget& stall_budget, Screening& screening,
                                                         KeyScreening::Found found = {},
                                                         std::shared_ptr<SharedGains> gains = {});

}  // namespace wattune::dynamic
