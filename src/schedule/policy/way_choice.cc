#include "schedule/policy/way_choice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "schedule/policy/pair_ways.h"

namespace wattune::inline v0_1::schedule {

namespace {

constexpr double kWorksForTrials = 10.0;  // least works of each kernel that are expected
constexpr double kLeastTrialGain = 0.01;  // over the best way that is known
constexpr double kTrialTime = 0.01;       // largest share of the time that trials may cost
constexpr double kTrialRounds = 0.5;      // rounds of both kernels that they may cost besides
constexpr double kFastest = 1.02;         // speed on fewer SMs over that on all, where caches help

bool is_whole_split(const PairForecast& way) { return way.whole && way.sms_of_first; }
bool is_ratio(const PairForecast& way) { return !way.sms_of_first && way.ratio.first > 0; }

// The interval in which measured splits leave the speed of each kernel at another split.
struct RateBounds {
  std::array<double, 2> low = {0.0, 0.0};
  std::array<double, 2> high = {kFastest, kFastest};

  // Returns speeds between the two. They lie nearer to the upper ones, so that trials come to the best split from both
  // sides.
  std::array<double, 2> likely() const {
    constexpr double kTowardsHigh = 2.0 / 3.0;
    std::array<double, 2> rates = {};
    for (std::size_t i = 0; i < 2; ++i)
      rates[i] = kTowardsHigh * high[i] + (1.0 - kTowardsHigh) * std::min(low[i], high[i]);
    return rates;
  }
};

// Tells what these measured ways leave for whole kernels at a split. With more SMs a kernel is not slower, and its
// speed grows at most in proportion.
RateBounds bounds_at(unsigned sms_of_first, std::span<const PairForecast> measured, unsigned sms) {
  RateBounds bounds;
  for (const PairForecast& way : measured) {
    if (!is_whole_split(way)) continue;
    const unsigned known = *way.sms_of_first;
    const std::array<double, 2> more = {static_cast<double>(sms_of_first) / known,
                                        static_cast<double>(sms - sms_of_first) / (sms - known)};
    for (std::size_t i = 0; i < 2; ++i) {
      bounds.high[i] = std::min(bounds.high[i], way.rates[i] * std::max(1.0, more[i]));
      bounds.low[i] = std::max(bounds.low[i], way.rates[i] * std::min(1.0, more[i]));
    }
  }
  return bounds;
}

// The trials of a pair. Precondition: the times of both kernels alone are known.
class Trials {
 public:
  Trials(const CandidatePair& pair, const QueueView& view, const PairTable& table, const PolicyOptions& options)
      : pair_(pair),
        sms_(view.limits.sms),
        alone_{*pair.first->traits->alone, *pair.second->traits->alone},
        left_(remainder_of(pair, view, table)),
        least_(left_.in_turn().value()) {
    const Nanoseconds longest = kLongerWhole * options.longest_whole;
    for (PairForecast& way : table.ways(pair.first->kernel, pair.second->kernel)) {
      if (way.clocks != pair.forecast.clocks || !schedule::merit(options.objective, way)) continue;
      if (way.measured > 0) measured_.push_back(way);
      // A work that has almost ended says nothing about the next one of its kernel.
      const bool is_short = !way.whole || round_of(way) <= longest;
      if (!is_short || !may_run(pair, way, view, options)) continue;
      if (way.measured > 0) least_ = std::min(least_, cost(way.rates));
      ways_.push_back(std::move(way));
    }
  }

  // True if whole kernels may run on SMs of their own, and enough works are expected.
  bool are_due() const { return std::ranges::any_of(ways_, is_whole_split) && works_expected() >= kWorksForTrials; }

  std::optional<PairForecast> next() const {
    if (!are_due()) return {};
    for (const PairForecast& way : ways_)
      if (is_under_way(way)) return way;
    if (both_run(pair_) || !is_within_budget()) return {};
    if (const PairForecast* split = next_split()) return *split;
    const PairForecast* ratio = next_ratio();
    return ratio != nullptr ? std::optional(*ratio) : std::nullopt;
  }

 private:
  // True if one of the two runs in its share of this ratio, which was not measured. Whole kernels run to their ends.
  bool is_under_way(const PairForecast& way) const {
    const auto runs = [](const Candidate& work, unsigned per_sm) {
      return work.running && shares_sms(*work.running) && work.running->per_sm == per_sm;
    };
    return is_ratio(way) && way.measured == 0 &&
           (runs(*pair_.first, way.ratio.first) || runs(*pair_.second, way.ratio.second));
  }

  // Returns the time until nothing is left, if the two run together at these speeds.
  double cost(const std::array<double, 2>& rates) const { return cost_of({.rates = rates}, left_, {}, {}); }
  double least_cost_to_try() const { return least_ / (1.0 + kLeastTrialGain); }

  // Returns the smaller number of works that a kernel has left, if as many come as have been.
  double works_expected() const {
    double works = std::min(left_.alone[0] / alone_[0], left_.alone[1] / alone_[1]);
    for (const PairForecast& way : measured_) works += static_cast<double>(way.measured);
    return works;
  }

  // Returns the time in which each of the two ends at least once.
  Nanoseconds round_of(const PairForecast& way) const {
    return std::max(alone_[0] / way.rates[0], alone_[1] / way.rates[1]);
  }

  // True if a further trial may begin. Each way that was measured has cost one round at its speeds.
  bool is_within_budget() const {
    Nanoseconds spent;
    Nanoseconds lost;
    for (const PairForecast& way : measured_) {
      spent += static_cast<double>(way.measured) * round_of(way);
      lost += std::max(0.0, 1.0 - least_ / cost(way.rates)) * round_of(way);
    }
    const Nanoseconds round = (least_ / left_.in_turn().value()) * (alone_[0] + alone_[1]);
    return lost <= kTrialTime * spent + kTrialRounds * round;
  }

  // Returns the split to try: at first the one with the best forecast, and then the likeliest of those that may gain.
  // Splits with equal forecasts are tried from the most even one on.
  const PairForecast* next_split() const {
    const bool is_first = std::ranges::none_of(measured_, is_whole_split);
    const PairForecast* best = nullptr;
    std::array<double, 2> least = {};
    for (const PairForecast& way : ways_) {
      if (!is_whole_split(way) || way.measured > 0) continue;
      const RateBounds bounds = bounds_at(*way.sms_of_first, measured_, sms_);
      if (!is_first && cost(bounds.high) > least_cost_to_try()) continue;
      const std::array<double, 2> rank = {cost(is_first ? way.rates : bounds.likely()),
                                          std::abs(*way.sms_of_first - 0.5 * sms_)};
      if (best == nullptr || rank < least) best = &way, least = rank;
    }
    return best;
  }

  // Returns the ratio with the best forecast, if it can gain by the speeds alone with so few resident blocks. If a
  // ratio was measured, the forecast must gain as well.
  const PairForecast* next_ratio() const {
    const bool is_first = std::ranges::none_of(measured_, is_ratio);
    const PairForecast* best = nullptr;
    for (const PairForecast& way : ways_) {
      if (!is_ratio(way) || way.measured > 0 || (!is_first && cost(way.rates) > least_cost_to_try())) continue;
      const std::array<double, 2> fastest = {fastest_at(*pair_.first->traits, way.ratio.first),
                                             fastest_at(*pair_.second->traits, way.ratio.second)};
      if (cost(fastest) <= least_cost_to_try() && (best == nullptr || cost(way.rates) < cost(best->rates))) best = &way;
    }
    return best;
  }

  // Returns the speed alone with so many resident blocks, if it was measured.
  static double fastest_at(const KernelTraits& kernel, unsigned blocks) {
    if (blocks > kernel.rate_at_residency.size()) return kFastest;
    return kFastest * kernel.twin_speed * kernel.rate_at_residency[blocks - 1];
  }

  const CandidatePair& pair_;
  unsigned sms_;
  std::array<Nanoseconds, 2> alone_;  // one work of each
  Remainder left_;
  double least_;                        // the cost of the best way that was measured, or of one after the other
  std::vector<PairForecast> ways_;      // in which the next works of the two may run
  std::vector<PairForecast> measured_;  // including those in which works would run for too long
};

bool may_try(const CandidatePair& pair, const PolicyOptions& options) {
  return options.objective.goal == Goal::throughput && pair.first->traits->alone && pair.second->traits->alone;
}

}  // namespace

std::optional<PairForecast> next_trial(const CandidatePair& pair, const QueueView& view, const PairTable& table,
                                       const PolicyOptions& options) {
  if (!may_try(pair, options)) return {};
  return Trials(pair, view, table, options).next();
}

bool waits_for_trials(const CandidatePair& pair, const QueueView& view, const PairTable& table,
                      const PolicyOptions& options) {
  return may_try(pair, options) && Trials(pair, view, table, options).are_due();
}

}  // namespace wattune::schedule
