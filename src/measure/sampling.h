// What the policies share: warming a device up, and how many samples are still wanted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wattune/measure/policy.h"

namespace wattune::measure {

// Runs until the device has been at work for `time`. Batches at most double, so that a first run that was slow for its
// own reasons does not mislead for long.
Result<void> warm_up(Runner& runner, Nanoseconds time);

// Adds samples until there are min_samples; then until they converge, exclude `incumbent` (when there is one), the time
// is spent or the maximum reached.
Result<void> sample(Runner& runner, const SamplingOptions& options, const std::optional<Statistics>& incumbent,
                    std::vector<Sample>& samples);

// Adds n samples.
Result<void> take(Runner& runner, std::size_t n, std::vector<Sample>& samples);

// What numbers of a policy of this name have in common.
Identity policy_identity(const std::string& policy, const SamplingOptions& options);

// Whether more samples would change little, by the rule that `options` name.
bool converged(const std::vector<Sample>& samples, const SamplingOptions& options);

}  // namespace wattune::measure
