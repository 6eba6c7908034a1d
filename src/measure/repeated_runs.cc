// The policy of repeated runs: it warms the device up for a time, then samples every configuration in the same way.
//
// The warm-up is given as a time. A device that idled needs some milliseconds of work until its clocks are back, and
// this does not depend on the number of launches.
#include "measure/sampling.h"

namespace wattune::inline v0_1::measure {

namespace {

class RepeatedSampling : public Sampling {
 public:
  RepeatedSampling(const SamplingOptions& options, const WarmUp& warm_up)
      : Sampling(wanted_first(options, warm_up)), options_(options), warm_up_(warm_up) {}

 private:
  static Wanted wanted_first(const SamplingOptions& options, const WarmUp& warm_up) {
    if (warm_up.wants() > 0) return {.runs = warm_up.wants(), .warm_up = true};
    return {.runs = options.min_samples};
  }

  Wanted next(Nanoseconds busy) override {
    if (!wants().warm_up) return {.runs = samples_wanted(samples(), options_, std::nullopt)};
    warm_up_.take(busy);
    return wanted_first(options_, warm_up_);
  }

  const SamplingOptions& options_;
  WarmUp warm_up_;
};

class RepeatedRuns : public MeasurePolicy {
 public:
  explicit RepeatedRuns(const SamplingOptions& options) : options_(options) {}

  std::unique_ptr<Sampling> begin(const std::optional<Statistics>& /*incumbent*/, Nanoseconds busy) override {
    return std::make_unique<RepeatedSampling>(options_, WarmUp(options_, busy));
  }

  Identity identity() const override { return policy_identity("repeated", options_); }

 private:
  const SamplingOptions options_;
};

}  // namespace

std::unique_ptr<MeasurePolicy> make_repeated_runs(const SamplingOptions& options) {
  return std::make_unique<RepeatedRuns>(options);
}

}  // namespace wattune::measure
