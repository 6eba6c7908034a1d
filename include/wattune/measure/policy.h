// MeasurePolicy: decides how often to run a configuration, and summarize() computes statistics of its runs. A shoot-out
// (run_shoot_out()) runs the best configurations in turns, so that disturbances of the device affect all of them alike;
// judge() names the winner. The final of a tuning run is a shoot-out.
//
// The policy runs nothing itself. For each configuration it makes a Sampling, which tells how many runs it wants next
// and takes their times. The runs come from measure() with a Runner, or from an application that launches the kernel
// for its own purpose. A policy may learn from what it measures (how noisy the device is), so each tuning run has a
// policy of its own. The policy must outlive its Samplings. One thread at a time uses a policy or runs a shoot-out; the
// caller owns the contestants.
//
//   auto policy = make_gated({});
//   WATTUNE_ASSIGN(std::vector<Sample> samples, policy->measure(runner, incumbent));
//   Statistics statistics = summarize(samples);
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "wattune/core/export.h"
#include "wattune/core/identity.h"
#include "wattune/core/observation.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1::measure {

// The samples of one configuration, collected until they suffice.
//
//   const auto sampling = policy->begin(incumbent, busy);
//   while (const std::size_t n = sampling->wants().runs) sampling->take(launch(n), busy);
class WATTUNE_EXPORT Sampling {
 public:
  struct Wanted {
    std::size_t runs = 0;  // 0 if the samples suffice
    bool warm_up = false;  // true if the runs only keep the device busy; their times do not count
  };

  virtual ~Sampling() = default;
  const Wanted& wants() const { return wanted_; }
  // Takes the next runs in their order. There may be fewer or more runs than the sampling wants; surplus runs are
  // ignored. `busy` is the time for which the device has been at work since it last idled. A time that no clock can
  // have measured ends the sampling.
  void take(std::span<const Sample> runs, Nanoseconds busy);
  // Returns the samples that count. There is at least one once no more runs are wanted.
  const std::vector<Sample>& samples() const& { return samples_; }
  std::vector<Sample> samples() && { return std::move(samples_); }

 protected:
  explicit Sampling(Wanted first) : wanted_(first) {}
  // Returns what the sampling wants next, after all runs that it wanted before were taken.
  virtual Wanted next(Nanoseconds busy) = 0;
  void drop_samples() { samples_.clear(); }

 private:
  Wanted wanted_;
  std::vector<Sample> samples_;
};

// Runs the prepared kernel, in the thread that calls the policy.
class WATTUNE_EXPORT Runner {
 public:
  virtual ~Runner() = default;
  // Runs the kernel n times, each time after restoring what it overwrites. Times are measured on the device. Fails with
  // errors of the device.
  virtual Result<std::vector<Sample>> run(std::size_t n) = 0;
  // Returns how long the device has been at work since its last idle gap that was long enough for its clocks to drop.
  virtual Nanoseconds busy_time() const = 0;
};

// A policy that decides how often each configuration runs.
class WATTUNE_EXPORT MeasurePolicy {
 public:
  virtual ~MeasurePolicy() = default;
  // Begins the samples of a configuration. `incumbent` holds the statistics of the best configuration so far, if there
  // is one; `busy` is as in Sampling::take().
  virtual std::unique_ptr<Sampling> begin(const std::optional<Statistics>& incumbent, Nanoseconds busy) = 0;
  // True if the policy takes fewer samples of a configuration that is worse than the incumbent. Without races, energy
  // is measured completely for every configuration.
  virtual bool races() const { return false; }
  // Returns the number of runs to launch before the first wait for the device, if each run probably takes `each`.
  virtual std::size_t first_runs(Nanoseconds /*each*/) const { return 1; }
  // Returns the properties that measurements must share to be comparable. The number of samples is not among them,
  // since each Trial contains its own number.
  virtual Identity identity() const = 0;

  // Returns the samples of one configuration, at least one, from runs of the runner. `made` holds the configuration's
  // first runs, if it has run already. Fails as the runner does.
  Result<std::vector<Sample>> measure(Runner& runner, const std::optional<Statistics>& incumbent,
                                      std::span<const Sample> made = {});
};

// The criterion by which the samples of one configuration suffice (docs/measure.md).
enum class Convergence {
  interval,  // the half width of the median's interval is small
  stdrel,    // the relative standard deviation is small, or no longer changes
  entropy,   // new samples hardly add to the entropy of the times
};

// The options of a policy.
struct WATTUNE_EXPORT SamplingOptions {
  Nanoseconds warm_up = nanoseconds_from_ms(20);  // run time before the first sample after an idle gap
  std::size_t min_samples = 7;
  std::size_t max_samples = 100;
  Nanoseconds max_time = nanoseconds_from_ms(200);  // device time for samples, once min_samples are taken
  Convergence convergence = Convergence::interval;
  double relative_precision = 0.01;  // a share of the median for `interval`, and of the mean for `stdrel`
  // Multiple of the incumbent's time at which a configuration loses its race at once. The rule also applies while the
  // race still learns its threshold, and to the launches from which it learns. nullopt turns the rule off.
  std::optional<double> slower_factor = {};
  // Device time that waiting for runs costs, in addition to the runs themselves. If waiting for the first sample alone
  // would save a race less than this cost, the race takes the first min_samples at once.
  Nanoseconds wait_cost = {};

  // Checks the options. Fails with invalid_argument, naming the option, if one is out of its range.
  Result<void> validate() const;
};

// Makes a policy that warms up for a given time, then samples until the samples converge, the time is spent or the
// maximum is reached.
WATTUNE_EXPORT std::unique_ptr<MeasurePolicy> make_repeated_runs(const SamplingOptions& options);

// Makes a policy that races each configuration against the incumbent. A configuration is dropped if it exceeds a
// threshold in its first launch, or in its first launch after the warm-up. It keeps that single sample, and its
// statistics have no confidence. Other configurations are sampled until they converge or their interval excludes the
// incumbent's median. The threshold is learned from configurations that are measured in any case.
WATTUNE_EXPORT std::unique_ptr<MeasurePolicy> make_gated(const SamplingOptions& options);

// Computes median, mean, minimum, and the median's distribution-free confidence interval from order statistics
// (binomial). An interval of 95 % needs six samples; with fewer, there is no confidence and the interval is min..max.
// Precondition: samples is not empty.
WATTUNE_EXPORT Statistics summarize(const std::vector<Sample>& samples, double confidence = 0.95);

// The options of a shoot-out. A round runs each contestant once, in turns.
struct WATTUNE_EXPORT ShootOutOptions {
  std::size_t finalists = 8;  // largest number of finalists; with 0 there is no shoot-out
  std::size_t block = 12;     // rounds between two looks at the result; each contestant runs once in a round
  std::size_t max_blocks = 5;
  Nanoseconds max_time = nanoseconds_from_seconds(10);  // device time after which no further block begins
  Nanoseconds warm_up = nanoseconds_from_ms(20);        // run time before a round after an idle gap
  const std::atomic<bool>* cancel = nullptr;  // any thread may set it; the shoot-out ends after the turn in flight

  // Function that is asked before each turn. If it returns true, the shoot-out ends and keeps its complete rounds. If
  // these are too few for a verdict, the shoot-out counts as cancelled.
  std::function<bool()> over = {};

  bool cancelled() const { return cancel != nullptr && cancel->load(); }
  bool is_over() const { return over && over(); }
};

// The objective of a configuration and its interval, as far as they follow from its samples. Smaller is better.
struct WATTUNE_EXPORT ObjectiveInterval {
  double value = 0.0;
  double low = 0.0;
  double high = 0.0;
};

// Returns the positions of the configurations whose interval overlaps the interval of the lowest value. They are sorted
// by value, so that the lowest comes first; there are at most `most`.
WATTUNE_EXPORT std::vector<std::size_t> choose_finalists(std::span<const ObjectiveInterval> configurations,
                                                         std::size_t most);

// One run of a contestant in a round.
struct WATTUNE_EXPORT Turn {
  Sample sample;
  double objective = 0.0;  // value that is compared, smaller is better; nanoseconds unless time is not the objective
  Nanoseconds spent;       // device time
};

// A configuration that takes part in a shoot-out.
class WATTUNE_EXPORT Contestant {
 public:
  virtual ~Contestant() = default;
  // Warms the device up until it has been at work for `warm_up` since it last idled, then runs once. Fails as a runner
  // does.
  virtual Result<Turn> take_turn(Nanoseconds warm_up) = 0;
};

// A contestant that is compared by the time of a run. The runner must outlive it.
class WATTUNE_EXPORT TimedContestant : public Contestant {
 public:
  explicit TimedContestant(Runner& runner) : runner_(runner) {}
  Result<Turn> take_turn(Nanoseconds warm_up) override;

 private:
  Runner& runner_;
};

// Turns of each contestant; turn r belongs to round r. A contestant that dropped out has fewer turns than others. The
// list is empty if the shoot-out was cancelled.
using Rounds = std::vector<std::vector<Turn>>;

// Runs blocks of rounds until one contestant is left, all blocks are run, or the time is spent. A contestant that is
// worse than the winner after a block drops out. The order rotates by one place each round. Fails as a contestant does;
// `failed` is then its position.
WATTUNE_EXPORT Result<Rounds> run_shoot_out(std::span<Contestant* const> contestants, const ShootOutOptions& options,
                                            std::size_t& failed);

// The outcome of a shoot-out.
struct WATTUNE_EXPORT Verdict {
  std::size_t winner = 0;
  std::vector<std::size_t> ties;  // contestants that cannot be distinguished from the winner, without the winner
};

// Returns the winner of the rounds. It has the lowest median, unless another is better than it round by round. With a
// `standard`, the winner must also be better than the standard round by round; if none is, the standard wins.
//
// A contestant is worse than another if the interval of the median difference of their objectives, round by round, lies
// above 0 (a sign test). `looks` is the largest number of times that the rounds are judged. Intervals are widened so
// that all of them hold together with 95 % (Bonferroni), over all looks and contestants. A contestant with fewer turns
// than others dropped out and was beaten. Precondition: each has at least one turn.
WATTUNE_EXPORT Verdict judge(std::span<const std::vector<Turn>> contestants, std::optional<std::size_t> standard = {},
                             std::size_t looks = 1);

// Returns the gain of one contestant over another, over the rounds that both ran. Returns nullopt if the objectives'
// signs make a ratio meaningless, or if there is no round.
WATTUNE_EXPORT std::optional<PairedGain> paired_gain(std::span<const Turn> of, std::span<const Turn> over);

}  // namespace wattune::measure
