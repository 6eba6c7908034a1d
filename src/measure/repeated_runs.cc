// Repeated runs: warm up by time, then sample until the interval is narrow or the budget spent.
//
// Why by time: a device that idled needs milliseconds at work, however few launches that takes, until its clocks are
// back. Runs are asked for in batches, because each batch may cost a round trip to the worker.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "wattune/measure/policy.h"

namespace wattune::measure {

namespace {

constexpr double kConfidence = 0.95;

// How many runs of `each` fit into `time`: at least 1, at most `most`.
std::size_t runs_within(Nanoseconds time, Nanoseconds each, std::size_t most) {
  if (each <= Nanoseconds{}) return most;
  return static_cast<std::size_t>(std::clamp(std::ceil(time / each), 1.0, static_cast<double>(most)));
}

class RepeatedRuns : public MeasurePolicy {
 public:
  explicit RepeatedRuns(const RepeatedRunsOptions& options) : options_(options) {}

  Result<std::vector<Sample>> measure(Runner& runner, const std::optional<Statistics>& /*incumbent*/) const override {
    WATTUNE_TRY(warm_up(runner));
    std::vector<Sample> samples;
    Nanoseconds spent;
    for (std::size_t n = options_.min_samples; n > 0; n = next_batch(samples, spent)) {
      WATTUNE_ASSIGN(const std::vector<Nanoseconds> times, runner.run(n));
      for (Nanoseconds time : times) {
        samples.push_back({time});
        spent += time;
      }
    }
    return samples;
  }

 private:
  // Batches at most double, so that a first run that was slow for its own reasons does not mislead for long.
  Result<void> warm_up(Runner& runner) const {
    std::size_t n = 1;
    for (Nanoseconds busy = runner.busy_time(); busy < options_.warm_up;) {
      WATTUNE_TRY(runner.run(n));
      const Nanoseconds gained = runner.busy_time() - busy;
      if (gained <= Nanoseconds{}) break;  // a runner without a clock cannot be warmed up by time
      busy += gained;
      n = runs_within(options_.warm_up - busy, gained / static_cast<double>(n), 2 * n);
    }
    return {};
  }

  // 0 when the samples suffice. Otherwise as many as there are, within the maximum and the time left.
  std::size_t next_batch(const std::vector<Sample>& samples, Nanoseconds spent) const {
    if (samples.size() >= options_.max_samples || spent >= options_.max_time) return 0;
    const Statistics statistics = summarize(samples, kConfidence);
    if (precise_enough(statistics)) return 0;
    const std::size_t most = std::min(samples.size(), options_.max_samples - samples.size());
    return runs_within(options_.max_time - spent, statistics.median, most);
  }

  bool precise_enough(const Statistics& statistics) const {
    const Nanoseconds half_width = (statistics.interval_high - statistics.interval_low) / 2.0;
    return statistics.confidence > 0.0 && half_width <= statistics.median * options_.relative_precision;
  }

  RepeatedRunsOptions options_;
};

}  // namespace

Result<void> RepeatedRunsOptions::validate() const {
  const auto invalid = [](std::string message) { return Error(ErrorCode::invalid_argument, std::move(message)); };
  if (!(warm_up >= Nanoseconds{})) return invalid("the warm-up time must not be negative");
  if (min_samples == 0) return invalid("at least one sample is needed");
  if (max_samples < min_samples)
    return invalid(fmt::format("at most {} samples, but at least {}", max_samples, min_samples));
  if (!(max_time >= Nanoseconds{})) return invalid("the time for samples must not be negative");
  if (!(relative_precision >= 0.0)) return invalid("the relative precision must not be negative");
  return {};
}

std::unique_ptr<MeasurePolicy> make_repeated_runs(const RepeatedRunsOptions& options) {
  return std::make_unique<RepeatedRuns>(options);
}

}  // namespace wattune::measure
