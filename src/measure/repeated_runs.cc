// Repeated runs: warm up by time, then sample every configuration alike.
//
// Why by time: a device that idled needs milliseconds at work, however few launches that takes, until its clocks are
// back.
#include "measure/sampling.h"

namespace wattune::measure {

namespace {

class RepeatedRuns : public MeasurePolicy {
 public:
  explicit RepeatedRuns(const SamplingOptions& options) : options_(options) {}

  Result<std::vector<Sample>> measure(Runner& runner, const std::optional<Statistics>& /*incumbent*/) override {
    WATTUNE_TRY(warm_up(runner, options_.warm_up));
    std::vector<Sample> samples;
    WATTUNE_TRY(sample(runner, options_, std::nullopt, samples));
    return samples;
  }

  Identity identity() const override { return policy_identity("repeated", options_); }

 private:
  SamplingOptions options_;
};

}  // namespace

std::unique_ptr<MeasurePolicy> make_repeated_runs(const SamplingOptions& options) {
  return std::make_unique<RepeatedRuns>(options);
}

}  // namespace wattune::measure
