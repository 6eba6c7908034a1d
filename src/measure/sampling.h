// Functions that all policies share: warming a device up, and the number of samples that are still wanted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wattune/measure/policy.h"

namespace wattune::inline v0_1::measure {

// A warm-up: runs until the device has been at work for a time. A batch is at most twice as large as the one before, so
// that an unusually slow first run does not mislead for long.
class WarmUp {
 public:
  // Begins the warm-up that these options ask for. `busy` is the time for which the device has been at work.
  WarmUp(const SamplingOptions& options, Nanoseconds busy);

  // Returns the number of runs that the warm-up needs next; 0 if the device is warm.
  std::size_t wants() const { return runs_; }
  // Takes the time for which the device has been at work (`busy`), after the runs that wants() asked for.
  void take(Nanoseconds busy);

 private:
  Nanoseconds time_;
  Nanoseconds busy_;
  std::size_t runs_ = 0;
};

// Runs the kernel until the device is warm.
Result<void> warm_up(Runner& runner, Nanoseconds time);

// Returns how many further samples are wanted; 0 if these suffice. First, min_samples are wanted. After that the
// samples suffice if they converge, if their interval excludes the median of `incumbent`, or if the time or the maximum
// is reached. Otherwise the number of samples is at most doubled, within the maximum and the time left.
std::size_t samples_wanted(const std::vector<Sample>& samples, const SamplingOptions& options,
                           const std::optional<Statistics>& incumbent);

// Returns the properties that measurements by the policy of this name must share to be comparable.
Identity policy_identity(const std::string& policy, const SamplingOptions& options);

// True if more samples would change little, by the rule that `options` name.
bool converged(const std::vector<Sample>& samples, const SamplingOptions& options);

}  // namespace wattune::measure
