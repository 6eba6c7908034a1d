// The explorer of screened kernels, which is the default: a search in a process of its own, on generated data, whose
// best few are then tried in calls of the application. What they show there is final.
#pragma once

#include "dynamic/explorer.h"
#include "dynamic/screening.h"

namespace wattune::dynamic {

// Strategy, rule and what it begins with are as of plan_key_search(), whose errors it has. The ledger outlives the
// screening. A key that cannot be screened is over at once: the best known runs. `found` as of KeyScreening;
// `gains` of the kernel's keys.
Result<std::unique_ptr<Explorer>> make_screened_explorer(std::shared_ptr<const Problem> problem,
                                                         const TuningPolicy& policy,
                                                         const std::vector<Configuration>& known, Ledger& ledger,
                                                         Screening& screening, KeyScreening::Found found = {},
                                                         std::shared_ptr<SharedGains> gains = {});

}  // namespace wattune::dynamic
