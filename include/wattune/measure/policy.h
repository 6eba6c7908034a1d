// MeasurePolicy: how often to run a configuration, and what its runs say.
//
// The policy drives a Runner, which knows how to run the prepared kernel; it sees times only. A policy may learn from
// what it measures (how noisy the device is), so each run has its own, used by one thread at a time.
//
//   auto policy = make_gated({});
//   WATTUNE_ASSIGN(std::vector<Sample> samples, policy->measure(runner, incumbent));
//   Statistics statistics = summarize(samples);
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "wattune/core/identity.h"
#include "wattune/core/observation.h"
#include "wattune/core/result.h"

namespace wattune::measure {

// Runs the prepared kernel, on the thread that calls the policy.
class Runner {
 public:
  virtual ~Runner() = default;
  // Runs the kernel n times, each after restoring what it overwrites. The time of a run is that on the device.
  virtual Result<std::vector<Sample>> run(std::size_t n) = 0;
  // How long the device has been at work since it was last idle for so long that its clocks may have dropped.
  virtual Nanoseconds busy_time() const = 0;
};

class MeasurePolicy {
 public:
  virtual ~MeasurePolicy() = default;
  // Samples of one configuration, at least one; `incumbent` is the best so far, if any. Fails as the runner does.
  virtual Result<std::vector<Sample>> measure(Runner& runner, const std::optional<Statistics>& incumbent) = 0;
  // What numbers of this policy must have in common with others to be compared with them. How many samples there are is
  // none of it: each Trial says that itself.
  virtual Identity identity() const = 0;
};

// When the samples of one configuration suffice (docs/measure.md).
enum class Convergence {
  interval,  // the half width of the median's interval is small
  stdrel,    // the relative standard deviation is small, or no longer changes
  entropy,   // new samples hardly add to the entropy of the times
};

struct SamplingOptions {
  Nanoseconds warm_up = nanoseconds_from_ms(20);  // to run before the first sample after an idle gap
  std::size_t min_samples = 7;
  std::size_t max_samples = 100;
  Nanoseconds max_time = nanoseconds_from_ms(200);  // device time for samples, once min_samples are taken
  Convergence convergence = Convergence::interval;
  double relative_precision = 0.01;  // of `interval`: share of the median; of `stdrel`: share of the mean

  Result<void> validate() const;
};

// Time-based warm-up, then samples until they converge, the time is spent or the maximum reached.
std::unique_ptr<MeasurePolicy> make_repeated_runs(const SamplingOptions& options);

// Races each configuration against the incumbent. One that shows itself slower in its first launch, or in the first
// one after the warm-up, keeps that one sample (so that the confidence of its statistics is 0); others are sampled
// until they converge or their interval excludes the incumbent's median. How much slower is slower is learned from
// configurations that are measured in any case.
std::unique_ptr<MeasurePolicy> make_gated(const SamplingOptions& options);

// Median, its distribution-free confidence interval from order statistics (binomial; needs six samples for 95 %,
// below that confidence = 0 and the interval is min..max), mean, minimum. Precondition: samples is not empty.
Statistics summarize(const std::vector<Sample>& samples, double confidence = 0.95);

}  // namespace wattune::measure
