// Runs are asked for in batches, because each batch may cost a round trip to the worker.
#include "measure/sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "wattune/core/value.h"

namespace wattune::measure {

namespace {

// How many runs of `each` fit into `time`: at least 1, at most `most`.
std::size_t runs_within(Nanoseconds time, Nanoseconds each, std::size_t most) {
  if (each <= Nanoseconds{}) return most;
  return static_cast<std::size_t>(std::clamp(std::ceil(time / each), 1.0, static_cast<double>(most)));
}

bool excludes(const Statistics& statistics, const std::optional<Statistics>& incumbent) {
  if (!incumbent || statistics.confidence == 0.0) return false;
  return statistics.interval_low > incumbent->median || statistics.interval_high < incumbent->median;
}

// 0 when the samples suffice. Otherwise as many as there are, within the maximum and the time left.
std::size_t next_batch(const std::vector<Sample>& samples, const SamplingOptions& options,
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

}  // namespace

Result<void> warm_up(Runner& runner, Nanoseconds time) {
  std::size_t n = 1;
  for (Nanoseconds busy = runner.busy_time(); busy < time;) {
    WATTUNE_TRY(runner.run(n));
    const Nanoseconds gained = runner.busy_time() - busy;
    if (gained <= Nanoseconds{}) break;  // a runner without a clock cannot be warmed up by time
    busy += gained;
    n = runs_within(time - busy, gained / static_cast<double>(n), 2 * n);
  }
  return {};
}

Result<void> take(Runner& runner, std::size_t n, std::vector<Sample>& samples) {
  WATTUNE_ASSIGN(const std::vector<Sample> taken, runner.run(n));
  samples.insert(samples.end(), taken.begin(), taken.end());
  return {};
}

Result<void> sample(Runner& runner, const SamplingOptions& options, const std::optional<Statistics>& incumbent,
                    std::vector<Sample>& samples) {
  while (const std::size_t n = next_batch(samples, options, incumbent)) WATTUNE_TRY(take(runner, n, samples));
  return {};
}

// The warm-up decides at which clocks the samples are taken; the other options say how many there are.
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
  return {};
}

}  // namespace wattune::measure
