#include "wattune/measure/shoot_out.h"

#include <algorithm>
#include <numeric>

#include "measure/median_interval.h"
#include "measure/sampling.h"

namespace wattune::measure {

namespace {

constexpr double kConfidence = 0.95;

// Whether the interval of the median of samples / others, round by round, lies above 1.
bool slower(const std::vector<Sample>& samples, const std::vector<Sample>& others, double confidence) {
  std::vector<double> ratios;
  ratios.reserve(samples.size());
  for (std::size_t r = 0; r < samples.size(); ++r) ratios.push_back(samples[r].time / others[r].time);
  std::sort(ratios.begin(), ratios.end());
  const MedianInterval interval = median_interval(ratios, confidence);
  return interval.covers && interval.low > 1.0;
}

std::size_t lowest_median(const RoundSamples& samples) {
  std::vector<Nanoseconds> medians;
  for (const std::vector<Sample>& each : samples) medians.push_back(summarize(each).median);
  return static_cast<std::size_t>(std::min_element(medians.begin(), medians.end()) - medians.begin());
}

// One sample of a contestant's turn. The run before it is none: it finds the caches as another kernel left them, and
// the device idle, which costs a short kernel more than finalists differ by.
Result<Sample> take_turn(Runner& runner) {
  std::vector<Sample> samples;
  WATTUNE_TRY(take(runner, 2, samples));
  return samples.back();
}

}  // namespace

std::vector<std::size_t> choose_finalists(std::span<const Statistics> configurations, std::size_t most) {
  std::vector<std::size_t> order(configurations.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return configurations[a].median < configurations[b].median; });
  std::vector<std::size_t> finalists;
  for (const std::size_t i : order) {
    if (finalists.size() >= most) break;
    if (configurations[i].interval_low <= configurations[order.front()].interval_high) finalists.push_back(i);
  }
  return finalists;
}

Result<RoundSamples> run_shoot_out(std::span<Runner* const> contestants, const ShootOutOptions& options,
                                   std::size_t& failed) {
  const std::size_t n = contestants.size();
  RoundSamples samples(n);
  Nanoseconds spent;
  for (std::size_t round = 0; round < options.block * options.max_blocks; ++round) {
    for (std::size_t turn = 0; turn < n; ++turn) {
      failed = (round + turn) % n;
      WATTUNE_TRY(warm_up(*contestants[failed], options.warm_up));
      WATTUNE_ASSIGN(const Sample sample, take_turn(*contestants[failed]));
      samples[failed].push_back(sample);
      spent += 2.0 * sample.time;
    }
    const bool look = (round + 1) % options.block == 0;
    if (look && (spent >= options.max_time || judge(samples, options.max_blocks).ties.empty())) break;
  }
  return samples;
}

Verdict judge(const RoundSamples& samples, std::size_t looks) {
  const double comparisons = static_cast<double>(std::max<std::size_t>(samples.size() - 1, 1) * looks);
  const double confidence = 1.0 - (1.0 - kConfidence) / comparisons;
  Verdict verdict{.winner = lowest_median(samples), .ties = {}};
  // Under drift the lowest median may belong to another than the one that is faster in most rounds.
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (slower(samples[verdict.winner], samples[i], confidence)) verdict.winner = i;
  }
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (i != verdict.winner && !slower(samples[i], samples[verdict.winner], confidence)) verdict.ties.push_back(i);
  }
  return verdict;
}

}  // namespace wattune::measure
