// Collects samples. Runs are requested in batches, because each batch may cost a round trip to the worker.
#include "measure/sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "wattune/core/value.h"

namespace wattune::inline v0_1::measure {

namespace {

// The largest number of runs of one batch, even if they seem to be very short, since the samples of a batch are kept in
// memory.
constexpr std::size_t kLargestBatch = std::size_t{1} << 20;

// Returns how many runs of `each` fit into `time`: at least 1, at most `most`.
std::size_t runs_within(Nanoseconds time, Nanoseconds each, std::size_t most) {
  if (each <= Nanoseconds{}) return most;
  return static_cast<std::size_t>(std::clamp(std::ceil(time / each), 1.0, static_cast<double>(most)));
}

bool excludes(const Statistics& statistics, const std::optional<Statistics>& incumbent) {
  if (!incumbent || !statistics.confidence) return false;
  return statistics.interval_low > incumbent->median || statistics.interval_high < incumbent->median;
}

}  // namespace

void Sampling::take(std::span<const Sample> runs, Nanoseconds busy) {
  while (wanted_.runs > 0 && !runs.empty()) {
    // `busy` covers all these runs, so all of them have warmed the device up.
    const std::span<const Sample> now = wanted_.warm_up ? runs : runs.first(std::min(wanted_.runs, runs.size()));
    runs = runs.subspan(now.size());
    wanted_.runs -= std::min(wanted_.runs, now.size());
    if (!wanted_.warm_up) samples_.insert(samples_.end(), now.begin(), now.end());
    const bool sound = wanted_.warm_up || std::ranges::all_of(now, is_measurable, &Sample::time);
    if (!sound)
      wanted_ = {};
    else if (wanted_.runs == 0)
      wanted_ = next(busy);
  }
}

Result<std::vector<Sample>> MeasurePolicy::measure(Runner& runner, const std::optional<Statistics>& incumbent,
                                                   std::span<const Sample> made) {
  const std::unique_ptr<Sampling> sampling = begin(incumbent, runner.busy_time());
  sampling->take(made, runner.busy_time());
  while (const std::size_t n = sampling->wants().runs) {
    WATTUNE_ASSIGN(const std::vector<Sample> runs, runner.run(n));
    sampling->take(runs, runner.busy_time());
  }
  return std::move(*sampling).samples();
}

WarmUp::WarmUp(const SamplingOptions& options, Nanoseconds busy)
    : time_(options.warm_up), busy_(busy), runs_(busy < time_ ? 1 : 0) {}

void WarmUp::take(Nanoseconds busy) {
  const Nanoseconds gained = busy - busy_;
  busy_ = busy;
  // A device without a clock cannot be warmed up by time.
  const bool cold = busy < time_ && gained > Nanoseconds{};
  const Nanoseconds each = gained / static_cast<double>(runs_);
  runs_ = cold ? runs_within(time_ - busy, each, std::min(2 * runs_, kLargestBatch)) : 0;
}

Result<void> warm_up(Runner& runner, Nanoseconds time) {
  WarmUp warm_up({.warm_up = time}, runner.busy_time());
  while (warm_up.wants() > 0) {
    WATTUNE_TRY(runner.run(warm_up.wants()));
    warm_up.take(runner.busy_time());
  }
  return {};
}

std::size_t samples_wanted(const std::vector<Sample>& samples, const SamplingOptions& options,
                           const std::optional<Statistics>& incumbent) {
  if (samples.size() < options.min_samples) return options.min_samples - samples.size();
  Nanoseconds spent;
  for (const Sample& sample : samples) spent += sample.time;
  if (samples.size() >= options.max_samples || spent >= options.max_time) return 0;
  const Statistics statistics = summarize(samples);
  if (excludes(statistics, incumbent) || converged(samples, options)) return 0;
  const std::size_t most = std::min(samples.size(), options.max_samples - samples.size());
  return runs_within(options.max_time - spent, statistics.median, most);
}

// Returns the identity. The warm-up decides at which clocks samples are taken; the other options only decide how many
// there are.
Identity policy_identity(const std::string& policy, const SamplingOptions& options) {
  return {{"policy", policy}, {"warm-up", format_real(to_ms(options.warm_up)) + " ms"}};
}

Result<void> SamplingOptions::validate() const {
  const auto invalid = [](std::string message) { return Error(ErrorCode::invalid_argument, std::move(message)); };
  if (!(warm_up >= Nanoseconds{})) return invalid("the warm-up time must not be negative");
  if (min_samples == 0) return invalid("at least one sample is needed");
  if (max_samples < min_samples)
    return invalid(fmt::format("max-samples, {}, is below min-samples, {}", max_samples, min_samples));
  if (!(max_time >= Nanoseconds{})) return invalid("the time for samples must not be negative");
  if (!(relative_precision >= 0.0)) return invalid("the relative precision must not be negative");
  if (!(wait_cost >= Nanoseconds{})) return invalid("the cost of a wait must not be negative");
  if (slower_factor && !(*slower_factor >= 1.0))
    return invalid("the factor by which a race is lost must be at least 1");
  return {};
}

}  // namespace wattune::measure
