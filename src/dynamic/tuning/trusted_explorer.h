// The explorer of trusted kernels. It searches the problem's space, and each evaluation consists of calls of the
// application.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "dynamic/tuning/explorer.h"
#include "dynamic/tuning/trial_gain.h"

namespace wattune::inline v0_1::dynamic {

struct TrustedOptions {
  std::size_t ahead = 1;  // most configurations wanted at once, as many as compile in parallel
  // Configurations to begin with, in this order, by names and values. The default configuration follows them.
  // Configurations that are not in the space are left out.
  std::vector<Configuration> known = {};
  std::function<Nanoseconds()> now;         // returns the time, by which stop rules on time are checked
  std::shared_ptr<SharedGains> gains = {};  // gains of all keys of the kernel
};

// Makes the explorer. The policy names the strategy and the stop rule, or tune::make_plan() chooses them. Fails if
// there is no strategy of that name, or if the stop rule is not possible.
Result<std::unique_ptr<Explorer>> make_trusted_explorer(std::shared_ptr<const Problem> problem,
                                                        const TuningPolicy& policy, const TrustedOptions& options);

}  // namespace wattune::dynamic
