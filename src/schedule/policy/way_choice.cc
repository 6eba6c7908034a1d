#include "schedule/policy/way_choice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "schedule/policy/many_streams.h"
#include "schedule/policy/pair_ways.h"

namespace wattune::inline v0_1::schedule {

namespace {

constexpr double kWorksForTrials = 10.0;   // least number of works of each kernel that must be expected
constexpr double kLeastTrialGain = 0.01;   // least gain over the best way that is known
constexpr double kTrialTime = 0.01;        // largest share of the time that trials may cost
constexpr double kTrialRounds = 2.0;       // rounds of both kernels that they may cost besides
constexpr double kRoundsOfMany = 1.0;      // further ones for a pair that may have many streams
constexpr double kRoundsOfPriority = 2.5;  // most that a trial in many streams with priorities costs
constexpr double kWorksToEnd = 2.0;        // works whose time is lost when those in many streams end
constexpr double kRoundsToEnd = 0.5;       // further ones for a trial in streams that may have begun
constexpr double kRoundsToBegin = 0.625;   // further ones for a trial for which works were let end
constexpr double kFastest = 1.02;          // speed on fewer SMs over that on all, where caches help
constexpr double kByPriorities = 1.25;     // most that priorities gain over streams without
constexpr double kGivenUp = 1.05;          // cost over that of the best way at which a trial of a ratio ends early
constexpr double kClose = 1.015;           // cost over that of the best way up to which a way runs again to be sure
constexpr double kSureWorks = 3.0;         // works in a way that make sure
constexpr double kTrialOfMany = 8.0;       // rounds that a trial in many streams takes at most, as its loss is reckoned
constexpr double kTooLowByStreams = 1.15;  // most by which a trial in many streams tells a cost that is too high
constexpr double kWorksPerCheck = 100.0;   // works of a pair for one that checks whether the best baseline has changed

bool is_whole_split(const PairForecast& way) { return way.whole && way.sms_of_first; }
bool is_in_streams(const PairForecast& way) { return way.shape().is_in_streams(); }
bool is_on_all_sms(const PairForecast& way) { return way.whole && !way.sms_of_first; }
bool is_ratio(const PairForecast& way) { return !way.sms_of_first && way.ratio.first > 0; }

// True if this work runs now with the share of SMs that the way gives it. In a way with whole kernels on all SMs, it
// may also run alone.
bool runs_in(const CandidatePair& pair, std::size_t which, const PairForecast& way, unsigned sms) {
  const std::optional<Share>& share = which == 0 ? pair.first->running : pair.second->running;
  if (!share || (share->form == Form::whole) != way.whole) return false;
  if (is_ratio(way)) return share->sms.count == 0 && share->per_sm == (which == 0 ? way.ratio.first : way.ratio.second);
  if (is_in_streams(way)) return share->sms.count == 0 && (share->priority > 0) == (way.urgent == which);
  return share->sms.count == (which == 0 ? *way.sms_of_first : sms - *way.sms_of_first);
}

// The interval of each kernel's speed at a split that follows from splits that were measured.
struct RateBounds {
  std::array<double, 2> low = {0.0, 0.0};
  std::array<double, 2> high = {kFastest, kFastest};

  // Returns speeds between the lower and the upper bounds. They lie nearer to the upper ones, so that trials approach
  // the best split from both sides.
  std::array<double, 2> likely() const {
    constexpr double kTowardsHigh = 2.0 / 3.0;
    std::array<double, 2> rates = {};
    for (std::size_t i = 0; i < 2; ++i)
      rates[i] = kTowardsHigh * high[i] + (1.0 - kTowardsHigh) * std::min(low[i], high[i]);
    return rates;
  }
};

// Returns the bounds for whole kernels at a split that follow from these measured ways. With more SMs a kernel is not
// slower, and its speed grows at most in proportion.
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
        may_check_(!options.urgent_from),
        least_(in_turn_of(pair, left_, table).value()) {
    const std::array<Nanoseconds, 2> longest = {longest_in_pair(*pair.first->traits, options),
                                                longest_in_pair(*pair.second->traits, options)};
    for (const PairForecast& each : table.ways(pair.first->kernel, pair.second->kernel)) {
      PairForecast way = in_proportion(each, left_);
      if (way.clocks != pair.forecast.clocks || !schedule::merit(options.objective, way)) continue;
      if (way.measured > 0) measured_.push_back(way);
      // A work that has almost ended does not tell how the next one of its kernel will run.
      const auto is_within = [&](std::size_t i) {
        return alone_[i] <= (is_on_all_sms(way) ? 1.0 : way.rates[i]) * longest[i];
      };
      const bool is_short = !way.whole || (is_within(0) && is_within(1));
      if (!is_short || !may_run(pair, way, view, options)) continue;
      if (way.measured > 0) least_ = std::min(least_, cost(way.rates));
      ways_.push_back(std::move(way));
    }
    // If many streams are possible, two streams offer no further gain.
    if (std::ranges::any_of(ways_, &PairForecast::many_streams))
      std::erase_if(ways_, [](const PairForecast& way) { return is_in_streams(way) && way.measured == 0; });
  }

  // Returns the time of all remaining work if the kernels run one after the other. Works of one kernel in a row gain by
  // filling idle SMs. This gain is not counted if many streams were measured, because many streams fill these SMs, too.
  static Nanoseconds in_turn_of(const CandidatePair& pair, const Remainder& left, const PairTable& table) {
    const bool knows_many = best_in_many_streams(pair.first->kernel, pair.second->kernel, table).has_value();
    return knows_many ? left.alone[0] + left.alone[1] : left.in_turn();
  }

  // True if trials are due, because whole kernels may run together and enough works are expected.
  bool are_due() const {
    return std::ranges::any_of(ways_, &PairForecast::whole) && works_expected() >= kWorksForTrials;
  }

  std::optional<PairForecast> next() const {
    if (!are_due()) return {};
    const PairForecast* const check = may_check_ ? next_check() : nullptr;
    for (const PairForecast& way : ways_)
      if (is_under_way(way, check)) return way;
    if (both_run(pair_)) return {};
    for (const PairForecast& way : ways_)
      if (is_half_known(way) && has_works_for(way)) return way;
    if (!is_within_budget(rounds_of_budget())) return {};
    for (const PairForecast* const way : {next_way(), check})
      if (way != nullptr && has_works_for(*way)) return *way;
    return {};
  }

 private:
  // True if one of the two runs in its share of a ratio that is tried, or of a way that is checked. (Whole kernels run
  // to their ends.)
  bool is_under_way(const PairForecast& way, const PairForecast* check) const {
    const bool is_tried = is_ratio(way) && way.measured == 0 && !is_hopeless(way);
    if (!is_tried && &way != check) return false;
    return !is_on_all_sms(way) && (runs_in(pair_, 0, way, sms_) || runs_in(pair_, 1, way, sms_));
  }

  // True if a trial in streams has shown the speed of only one kernel. The trial continues until both speeds are known.
  static bool is_half_known(const PairForecast& way) {
    return is_in_streams(way) && way.measured == 0 && way.observed[0] + way.observed[1] > 0;
  }

  // Returns the time until the works of both kernels have ended, if the kernels run together at these speeds.
  double cost(const std::array<double, 2>& rates) const { return cost_of({.rates = rates}, left_, {}, {}); }
  double least_cost_to_try() const { return least_ / (1.0 + kLeastTrialGain); }

  // Returns how many works are expected of the kernel with fewer works left. It is assumed that as many more works will
  // come as have come so far.
  double works_expected() const {
    double works = std::min(left_.alone[0] / alone_[0], left_.alone[1] / alone_[1]);
    for (const PairForecast& way : measured_) works += rounds_in(way);
    return works;
  }

  // Returns the number of rounds of both kernels that have run in this way, by the time of the works that ended.
  double rounds_in(const PairForecast& way) const {
    std::array<Nanoseconds, 2> times;
    for (std::size_t i = 0; i < 2; ++i) times[i] = static_cast<double>(way.observed[i]) * alone_[i] / way.rates[i];
    return std::max(times[0], times[1]) / round_of(way);
  }

  // Returns the time in which each of the two ends at least once.
  Nanoseconds round_of(const PairForecast& way) const {
    return std::max(alone_[0] / way.rates[0], alone_[1] / way.rates[1]);
  }

  // Returns the time that the trials of this way have cost, which is the sum of two losses.
  //
  // The first is the time that the way takes longer than the best one, in one round; a way close to the best gets as
  // many rounds as make sure.
  //
  // The second is the wait before and after a trial, in which one kernel waits for the other. A trial of many streams
  // has no such wait. But if many streams are the best way, their works must end before the trial, and leave SMs idle.
  Nanoseconds loss_of(const PairForecast& way, const PairForecast* best) const {
    const double slower = std::max(0.0, 1.0 - least_ / cost(way.rates));
    if (way.many_streams) return std::min(rounds_in(way), kTrialOfMany) * slower * round_of(way);
    const double rounds = std::min(rounds_in(way), cost(way.rates) <= kClose * least_ ? kSureWorks : 1.0);
    Nanoseconds waited = 0.5 * std::min(alone_[0] / way.rates[0], alone_[1] / way.rates[1]);
    if (best != nullptr && best->many_streams)
      waited += kWorksToEnd * (0.5 / best->speedup()) * (alone_[0] + alone_[1]);
    return rounds * (slower * round_of(way) + waited);
  }

  // Returns the time that a trial has cost if it ended early.
  Nanoseconds loss_of_hopeless(const PairForecast& way) const {
    const std::size_t ended = way.observed[0] > 0 ? 0 : 1;
    return (1.0 - least_ / cost(most_of(way))) * (alone_[ended] / way.rates[ended]);
  }

  // Returns how many rounds trials may cost in addition to their share of the time.
  double rounds_of_budget() const {
    // A pair that had its trials in an earlier run gets no further rounds. It must earn the rounds to begin a trial
    // first.
    if (had_trials()) return rounds_for_what_began() - 2.0 * kRoundsToBegin;
    const bool has_many = std::ranges::any_of(ways_, &PairForecast::many_streams);
    return kTrialRounds + (has_many ? kRoundsOfMany : 0.0) + rounds_for_what_began();
  }

  // True if a further trial may begin. All trials together may cost `rounds` rounds in addition to their share of the
  // time.
  bool is_within_budget(double rounds) const {
    const PairForecast* const best = incumbent();
    Nanoseconds spent;
    Nanoseconds lost;
    for (const PairForecast& way : measured_) {
      spent += rounds_in(way) * round_of(way);
      if (best == nullptr || way.shape() != best->shape()) lost += loss_of(way, best);
    }
    for (const PairForecast& way : ways_)
      if (way.measured == 0 && is_hopeless(way)) lost += loss_of_hopeless(way);
    const Nanoseconds round = (least_ / (left_.alone[0] + left_.alone[1]).value()) * (alone_[0] + alone_[1]);
    return lost <= kTrialTime * spent + rounds * round;
  }

  // True if so many works ran in one way before this table was made that the pair has had its trials. Pilots and sweeps
  // run each way a few times only.
  bool had_trials() const {
    return std::ranges::any_of(measured_, [](const PairForecast& way) {
      return static_cast<double>(way.measured - std::min(way.observed[0], way.observed[1])) >= kWorksForTrials;
    });
  }

  // Returns the rounds that are added to the budget for a trial that has begun, since estimates of lost time vary with
  // the works that are left. If no work runs, a trial has begun, because works were let end for it. If a work runs
  // whole on all SMs, it may be part of a trial in streams.
  double rounds_for_what_began() const {
    const std::array works = {pair_.first, pair_.second};
    const auto runs = [](const Candidate* work) { return work->running.has_value(); };
    const auto is_on_all_sms = [](const Candidate* work) {
      return work->running && work->running->form == Form::whole && work->running->sms.count == 0;
    };
    if (std::ranges::none_of(works, runs)) return kRoundsToBegin;
    return std::ranges::any_of(works, is_on_all_sms) ? kRoundsToEnd : 0.0;
  }

  // Returns the highest speeds that a ratio may have: the speeds that works have shown, or otherwise the speeds alone
  // with so few resident blocks.
  std::array<double, 2> most_of(const PairForecast& way) const {
    return {way.observed[0] > 0 ? way.rates[0] : fastest_at(*pair_.first->traits, way.ratio.first),
            way.observed[1] > 0 ? way.rates[1] : fastest_at(*pair_.second->traits, way.ratio.second)};
  }

  // Returns the speeds that are forecast for a ratio. A forecast that other ratios corrected may exceed the highest
  // possible speeds.
  std::array<double, 2> likely_of(const PairForecast& way) const {
    const std::array<double, 2> most = most_of(way);
    return {std::min(way.rates[0], most[0]), std::min(way.rates[1], most[1])};
  }

  // True if works of one kernel have shown that the trial of a ratio cannot succeed.
  bool is_hopeless(const PairForecast& way) const {
    return is_ratio(way) && way.observed[0] + way.observed[1] > 0 && cost(most_of(way)) > kGivenUp * least_;
  }

  // Returns the best measured way; nullptr if one after the other is better.
  const PairForecast* incumbent() const {
    const PairForecast* best = nullptr;
    for (const PairForecast& way : ways_)
      if (way.measured > 0 && cost(way.rates) <= (best != nullptr ? cost(best->rates) : least_)) best = &way;
    return best;
  }

  // Returns a measured way that should run once more: one about as good as the best, or the best way of whole kernels,
  // whose speed may have changed. Returns nullptr if there is none.
  const PairForecast* next_check() const {
    const PairForecast* const best = incumbent();
    double rounds = 0.0;
    for (const PairForecast& way : measured_) rounds += rounds_in(way);
    const PairForecast* baseline = nullptr;
    for (const PairForecast& way : ways_) {
      if (way.measured == 0 || &way == best) continue;
      if (is_unsure_of_many(way)) return &way;
      if (way.many_streams) continue;
      const double works = std::max(static_cast<double>(way.measured), rounds_in(way));
      const bool is_sure = works >= kSureWorks || (best != nullptr && way.measured >= best->measured);
      if (!is_sure && cost(way.rates) <= kClose * least_) return &way;
      if (way.whole && (baseline == nullptr || cost(way.rates) < cost(baseline->rates))) baseline = &way;
    }
    const bool is_due = baseline != nullptr && best != nullptr && !best->whole &&
                        (rounds_in(*baseline) + 1.0) * kWorksPerCheck <= rounds;
    return is_due ? baseline : nullptr;
  }

  // True if many streams without priorities may be the best of all ways, but have run only for a short trial. Its works
  // begin and end together, so that it shows too low a speed.
  bool is_unsure_of_many(const PairForecast& way) const {
    const auto works = static_cast<double>(way.observed[0] + way.observed[1]);
    return way.many_streams && !way.urgent && works > 0.0 && works < kWorksToBeSure &&
           cost(way.rates) <= kTooLowByStreams * least_;
  }

  // Returns the way that has not run yet and should be tried next; nullptr if there is none.
  const PairForecast* next_way() const {
    // Many streams are seldom slower than one after the other, but two streams may be.
    const PairForecast* const streams = next_in_streams(false);
    if (streams != nullptr && streams->many_streams) return streams;
    for (const PairForecast* const way : {next_split(), streams, next_ratio(), next_in_streams(true)})
      if (way != nullptr) return way;
    return nullptr;
  }

  // True if both kernels have enough works for a round, so that the trial can end.
  bool has_works_for(const PairForecast& way) const {
    return std::min(left_.alone[0] / way.rates[0], left_.alone[1] / way.rates[1]) >= round_of(way);
  }

  // Returns streams, which are always tried, or those with priorities. Priorities gain little over streams without. In
  // many streams they often lose, so that they must be paid by the time that the pair has run.
  const PairForecast* next_in_streams(bool with_priority) const {
    const auto streams =
        std::ranges::find_if(measured_, [](const PairForecast& each) { return is_on_all_sms(each) && !each.urgent; });
    if (with_priority && streams != measured_.end() &&
        cost({kByPriorities * streams->rates[0], kByPriorities * streams->rates[1]}) > least_cost_to_try())
      return nullptr;
    const auto way = std::ranges::find_if(ways_, [&](const PairForecast& each) {
      return is_on_all_sms(each) && each.measured == 0 && each.urgent.has_value() == with_priority;
    });
    if (way == ways_.end()) return nullptr;
    const bool is_long = with_priority && way->many_streams;
    return is_long && !is_within_budget(-kRoundsOfPriority) ? nullptr : &*way;
  }

  // Returns the split to try: first the one with the best forecast, and then the most promising of those that may gain.
  // Splits with equal forecasts are tried beginning with the most even one.
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

  // Returns the ratio with the best forecast, if it can gain by the kernels' speeds alone with so few resident blocks.
  // If a ratio was already measured, the forecast must gain as well.
  const PairForecast* next_ratio() const {
    const bool is_first = std::ranges::none_of(
        ways_, [this](const PairForecast& way) { return is_ratio(way) && (way.measured > 0 || is_hopeless(way)); });
    const PairForecast* best = nullptr;
    for (const PairForecast& way : ways_) {
      if (!is_ratio(way) || way.measured > 0 || is_hopeless(way)) continue;
      if (!is_first && cost(likely_of(way)) > least_cost_to_try()) continue;
      const bool may_gain = cost(most_of(way)) <= least_cost_to_try();
      if (may_gain && (best == nullptr || cost(likely_of(way)) < cost(likely_of(*best)))) best = &way;
    }
    return best;
  }

  // Returns the speed alone with this many resident blocks, if it was measured.
  static double fastest_at(const KernelTraits& kernel, unsigned blocks) {
    if (blocks > kernel.rate_at_residency.size()) return kFastest;
    return kFastest * kernel.twin_speed * kernel.rate_at_residency[blocks - 1];
  }

  const CandidatePair& pair_;
  unsigned sms_;
  std::array<Nanoseconds, 2> alone_;  // time alone of one work of each
  Remainder left_;
  bool may_check_;                      // false if urgent works disturb the running ones
  double least_;                        // the cost of the best measured way, or of one after the other
  std::vector<PairForecast> ways_;      // ways in which the next works of the two may run
  std::vector<PairForecast> measured_;  // measured ways, including those in which works would run for too long
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
