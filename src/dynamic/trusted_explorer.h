// The explorer of trusted kernels: a search of the problem's space whose every evaluation is calls of the application.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "dynamic/explorer.h"
#include "dynamic/worth.h"

namespace wattune::dynamic {

struct TrustedOptions {
  std::size_t ahead = 1;  // configurations that are wanted at once: as many as compile in parallel
  // To begin with, in this order, as names and values; the default configuration comes behind them. Those that the
  // space lacks are left out.
  std::vector<Configuration> known = {};
  std::function<Nanoseconds()> now;         // for rules of time
  std::shared_ptr<SharedGains> gains = {};  // of the kernel's keys
};

// Strategy and rule are the policy's, or those that tune::make_plan() chooses. Errors of the strategy's name and of the
// rule.
Result<std::unique_ptr<Explorer>> make_trusted_explorer(std::shared_ptr<const Problem> problem,
                                                        const TuningPolicy& policy, const TrustedOptions& options);

}  // namespace wattune::dynamic
