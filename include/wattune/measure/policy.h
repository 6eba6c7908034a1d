// MeasurePolicy: how often to run a configuration, and what its runs say.
//
// The policy runs nothing itself: for each configuration it gives a Sampling, which says how many runs it wants next
// and takes their times as they come, whoever makes them: measure(), with a Runner, or an application that launches the
// kernel for its own purpose. A policy may learn from what it measures (how noisy the device is), so each run has its
// own, which outlives its Samplings; one thread at a time uses both.
//
//   auto policy = make_gated({});
//   WATTUNE_ASSIGN(std::vector<Sample> samples, policy->measure(runner, incumbent));
//   Statistics statistics = summarize(samples);
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "wattune/core/identity.h"
#include "wattune/core/observation.h"
#include "wattune/core/result.h"

namespace wattune::measure {

// The runs of one configuration, until they suffice.
//
//   const auto sampling = policy->begin(incumbent, busy);
//   while (const std::size_t n = sampling->wants().runs) sampling->take(launch(n), busy);
class Sampling {
 public:
  struct Wanted {
    std::size_t runs = 0;  // 0: what it has suffices
    bool warm_up = false;  // only to keep the device at work: their times do not count
  };

  virtual ~Sampling() = default;
  const Wanted& wants() const { return wanted_; }
  // The next runs in their order, fewer or more than it wants; those beyond its last wish are ignored. `busy` is how
  // long the device has been at work since it last idled. A time that no clock can have told ends the sampling.
  void take(std::span<const Sample> runs, Nanoseconds busy);
  // Those that count, at least one when it wants no more.
  const std::vector<Sample>& samples() const& { return samples_; }
  std::vector<Sample> samples() && { return std::move(samples_); }

 protected:
  explicit Sampling(Wanted first) : wanted_(first) {}
  // What it wants when all that it wanted is there.
  virtual Wanted next(Nanoseconds busy) = 0;
  void drop_samples() { samples_.clear(); }

 private:
  Wanted wanted_;
  std::vector<Sample> samples_;
};

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
  // Begins with one configuration; `incumbent` is the best so far, if any, `busy` as in Sampling::take().
  virtual std::unique_ptr<Sampling> begin(const std::optional<Statistics>& incumbent, Nanoseconds busy) = 0;
  // Whether it leaves a configuration that is worse than the incumbent at fewer samples than others. Energy follows: a
  // policy that does not has all of it measured of every configuration.
  virtual bool races() const { return false; }
  // How many runs to begin with in one wait for the device, if each probably takes so long.
  virtual std::size_t first_runs(Nanoseconds /*each*/) const { return 1; }
  // What numbers of this policy must have in common with others to be compared with them. How many samples there are is
  // none of it: each Trial says that itself.
  virtual Identity identity() const = 0;

  // The samples of one configuration, at least one, by runs of the runner. `made`: its first runs, where it was run
  // already. Fails as the runner does.
  Result<std::vector<Sample>> measure(Runner& runner, const std::optional<Statistics>& incumbent,
                                      std::span<const Sample> made = {});
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
  // A race ends what takes so many times as long as the incumbent even while it learns how slow is slower, and in the
  // launches that it learns from. None: nothing is hopeless.
  std::optional<double> hopeless = {};
  // Of the device, to wait for runs, beside what they take. Where a race would save less by waiting for one sample
  // alone it takes the first min_samples at once.
  Nanoseconds wait_cost = {};

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
