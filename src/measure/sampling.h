// What the policies share: warming a device up, and how many samples are still wanted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wattune/measure/policy.h"

namespace wattune::measure {

// Runs until the device has been at work for a time. Batches at most double, so that a first run that was slow for its
// own reasons does not mislead for long.
class WarmUp {
 public:
  // `busy` is how long the device has been at work.
  WarmUp(Nanoseconds time, Nanoseconds busy);

  // How many runs it wants; 0: the device is warm.
  std::size_t wants() const { return runs_; }
  // Those runs are done.
  void take(Nanoseconds busy);

 private:
  Nanoseconds time_;
  Nanoseconds busy_;
  std::size_t runs_ = 0;
};

// Runs until the device is warm.
Result<void> warm_up(Runner& runner, Nanoseconds time);

// How many samples there should be beside these: until there are min_samples; then until they converge, exclude
// `incumbent` (when there is one), the time is spent or the maximum reached. As many as there are, within the maximum
// and the time left; 0: they suffice.
std::size_t samples_wanted(const std::vector<Sample>& samples, const SamplingOptions& options,
                           const std::optional<Statistics>& incumbent);

// What numbers of a policy of this name have in common.
Identity policy_identity(const std::string& policy, const SamplingOptions& options);

// Whether more samples would change little, by the rule that `options` name.
bool converged(const std::vector<Sample>& samples, const SamplingOptions& options);

}  // namespace wattune::measure
