// MeasurePolicy: how often to run a configuration, and what its runs say.
//
// The policy drives a Runner, which knows how to run the prepared kernel; it sees times only. This is the seam for
// better policies: one that gates against the incumbent needs nothing but what measure() is given. Policies are
// immutable and may be shared; a Runner serves one measure() at a time.
//
//   WATTUNE_ASSIGN(std::vector<Sample> samples, make_repeated_runs({})->measure(runner, incumbent));
//   Statistics statistics = summarize(samples);
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "wattune/core/observation.h"
#include "wattune/core/result.h"

namespace wattune::measure {

// Runs the prepared kernel.
class Runner {
 public:
  virtual ~Runner() = default;
  // Runs the kernel n times, each after restoring what it overwrites, and returns the time of each run on the device.
  virtual Result<std::vector<Nanoseconds>> run(std::size_t n) = 0;
  // How long the device has been at work since it was last idle for so long that its clocks may have dropped.
  virtual Nanoseconds busy_time() const = 0;
};

class MeasurePolicy {
 public:
  virtual ~MeasurePolicy() = default;
  // Samples of one configuration; `incumbent` is the best so far, if any. Fails as the runner does.
  virtual Result<std::vector<Sample>> measure(Runner& runner, const std::optional<Statistics>& incumbent) const = 0;
};

struct RepeatedRunsOptions {
  Nanoseconds warm_up = nanoseconds_from_ms(20);  // to run before the first sample after an idle gap
  std::size_t min_samples = 7;
  std::size_t max_samples = 100;
  Nanoseconds max_time = nanoseconds_from_ms(200);  // device time for samples, once min_samples are taken
  double relative_precision = 0.01;  // stop when the interval's half width is below this share of the median

  Result<void> validate() const;
};

// Time-based warm-up, then samples until the confidence interval of the median is narrow, the time is spent or
// the maximum reached.
std::unique_ptr<MeasurePolicy> make_repeated_runs(const RepeatedRunsOptions& options);

// Median, its distribution-free confidence interval from order statistics (binomial; needs six samples for 95 %,
// below that confidence = 0 and the interval is min..max), mean, minimum. Precondition: samples is not empty.
Statistics summarize(const std::vector<Sample>& samples, double confidence = 0.95);

}  // namespace wattune::measure
