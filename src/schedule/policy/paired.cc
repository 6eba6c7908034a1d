// The default policy. Two kernels share every SM in the ratio with the best forecast, or split the SMs if that has a
// better forecast. They do so until another pair or way is better.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "schedule/policy/clock_choice.h"
#include "schedule/policy/many_streams.h"
#include "schedule/policy/pair_ways.h"
#include "schedule/policy/way_choice.h"

namespace wattune::inline v0_1::schedule {

namespace {

// Share by which a twin may cost more than its kernel and still run alone. A twin that costs more runs alone only if an
// arrival would wait too long for the kernel.
constexpr double kTwinLoss = 0.01;

int highest_urgency(const QueueView& view, const PolicyOptions& options) {
  int highest = urgency(view.works.front(), view, options);
  for (const Candidate& work : view.works) highest = std::max(highest, urgency(work, view, options));
  return highest;
}

// Returns the works that may run beside another. Among several works with the same kernel and urgency it takes the
// first.
std::vector<const Candidate*> distinct_works(const QueueView& view, const PolicyOptions& options) {
  std::vector<const Candidate*> works;
  for (const Candidate& work : view.works) {
    const bool is_known = std::ranges::any_of(works, [&](const Candidate* other) {
      return other->kernel == work.kernel && urgency(*other, view, options) >= urgency(work, view, options);
    });
    if (!is_known) works.push_back(&work);
  }
  return works;
}

// Returns the factor by which a pair must beat the running pair. The SMs idle in part while a stopped kernel's last
// blocks end, and the factor makes up for that.
double handicap(const Candidate& first, const Candidate& second, const PolicyOptions& options) {
  const int stays = (first.running ? 1 : 0) + (second.running ? 1 : 0);
  return 1.0 + options.margin * (2 - stays);
}

struct ScoredPair {
  double score = 0.0;
  const Candidate* first = nullptr;
  const Candidate* second = nullptr;
};

// Returns the pairs that are forecast to gain or have a way to try, and the running pair, in order of preference.
std::vector<ScoredPair> pairs_by_preference(const QueueView& view, const PairTable& table,
                                            const PolicyOptions& options) {
  const auto works = distinct_works(view, options);
  const int highest = highest_urgency(view, options);
  const bool something_runs = !running_works(view).empty();
  std::vector<ScoredPair> pairs;
  for (std::size_t i = 0; i < works.size(); ++i)
    for (std::size_t j = i + 1; j < works.size(); ++j) {
      const Candidate &first = *works[i], &second = *works[j];
      if (std::max(urgency(first, view, options), urgency(second, view, options)) < highest) continue;
      const auto forecast = forecast_now(view, table, first.kernel, second.kernel);
      const auto merit = forecast ? schedule::merit(options.objective, *forecast) : std::nullopt;
      if (!merit) continue;
      const bool both_run = first.running && second.running;
      const bool ran_in_many = best_in_many_streams(first.kernel, second.kernel, table).has_value();
      if (!both_run && !gains(*merit, *forecast, {first.traits, second.traits}, options, ran_in_many) &&
          !next_trial({&first, &second, *forecast}, view, table, options))
        continue;
      const double score = *merit / (something_runs ? handicap(first, second, options) : 1.0) /
                           clock_handicap(*forecast, view.clocks, options);
      pairs.push_back({score, &first, &second});
    }
  std::ranges::stable_sort(pairs, std::greater(), &ScoredPair::score);
  return pairs;
}

// Returns the first of these pairs whose gain is large enough, in its best way; an empty pair if there is none.
CandidatePair best_pair(const QueueView& view, const PairTable& table, const PolicyOptions& options) {
  for (const ScoredPair& each : pairs_by_preference(view, table, options)) {
    CandidatePair pair{each.first, each.second, *forecast_now(view, table, each.first->kernel, each.second->kernel)};
    if (const auto trial = next_trial(pair, view, table, options)) return {pair.first, pair.second, *trial, true};
    std::optional<PairForecast> way = best_way(pair, view, table, options);
    if (!way) continue;
    pair.forecast = *std::move(way);
    // In many streams no kernel is stopped, and only times are compared with one after the other.
    if (pair.forecast.many_streams || options.objective.goal != Goal::throughput) return pair;
    if (saves_time(pair, view, table, options)) return pair;
  }
  return {};
}

// Returns the next work to run alone. A running work continues, unless a more urgent one waits. While clocks must be
// held, works that suit these clocks go first.
const Candidate& next_alone(const QueueView& view, const PolicyOptions& options) {
  const int highest = highest_urgency(view, options);
  return first_at_clocks(view, options, [&](const Candidate& work) { return urgency(work, view, options) == highest; });
}

bool is_whole(const Candidate* work) { return work->running->form == Form::whole; }

// True if the share uses all blocks that the SMs hold.
bool fills_sms(const Share& share, const KernelTraits& kernel) {
  return share.sms.count == 0 &&
         (share.form == Form::whole || (share.form == Form::persistent && share.per_sm == kernel.profile.blocks_alone));
}

// True if the two run in streams, and works of one kernel may fill the SMs that previous works of the same kernel leave
// idle. Two works of an urgent kernel at a time would leave no SMs to the other kernel.
bool fill_streams(const Candidate& first, const Candidate& second, const PairShape& shape,
                  const PolicyOptions& options) {
  return shape.is_in_streams() && !shape.urgent &&
         std::max(first.traits->overlapped_speed, second.traits->overlapped_speed) >= 1.0 + options.least_gain;
}

// Plans that a running work continues, and is followed in the same way as if it ran alone.
Plan goes_on_alone(const Candidate& work, const QueueView& view, std::string reason) {
  Plan plan = unchanged(view, 1.0, std::move(reason));
  plan.fills_sms = plan.shares.size() == 1 && fills_sms(*work.running, *work.traits);
  return plan;
}

// True if the running work has the share that this way gives its first kernel.
bool suits(const Share& running, const PairForecast& way) {
  if (!way.whole || way.many_streams) return false;
  if (way.sms_of_first) return running.sms.count == *way.sms_of_first;
  return running.sms.count == 0 && running.priority == (way.urgent == 0U ? 1 : 0);
}

// Returns the share in this way of the work that runs beside a whole work with the share `first`.
Share share_beside(const Share& first, const Candidate& second, const PairForecast& way, const MachineLimits& limits) {
  if (way.sms_of_first) return whole_share(second, rest_of(first.sms, limits.sms));
  Share share = whole_share(second);
  share.priority = way.urgent == 1U ? 1 : 0;
  return share;
}

// Returns the first of the most urgent waiting works of each other kernel.
std::vector<const Candidate*> partners_of(const Candidate& first, const QueueView& view, const PolicyOptions& options) {
  int highest = std::numeric_limits<int>::min();
  for (const Candidate& other : view.works)
    if (!other.running) highest = std::max(highest, urgency(other, view, options));
  std::vector<const Candidate*> partners;
  for (const Candidate& other : view.works) {
    if (other.running || other.kernel == first.kernel || urgency(other, view, options) < highest) continue;
    const auto is_same = [&](const Candidate* known) { return known->kernel == other.kernel; };
    if (std::ranges::none_of(partners, is_same)) partners.push_back(&other);
  }
  return partners;
}

// Plans for a whole work that runs on some or all SMs. It gets the best partner among the most urgent waiting works.
Plan beside_whole(const std::vector<const Candidate*>& running, const QueueView& view, const PairTable& table,
                  const PolicyOptions& options) {
  const Candidate& first = *running.front();
  const bool has_all_sms = first.running->sms.count == 0;
  const std::string goes_on =
      has_all_sms ? "what runs whole runs to its end" : "whole kernels on SMs of their own run to their ends";
  if (running.size() > 1) {
    Plan plan = goes_on_alone(first, view, goes_on);
    const bool in_two_streams = running.size() == 2 && has_all_sms && is_whole(running[1]) &&
                                running[1]->running->sms.count == 0 &&
                                running[1]->running->priority == first.running->priority;
    plan.fills_sms = in_two_streams && fill_streams(first, *running[1], {.whole = true}, options);
    return plan;
  }
  CandidatePair best;
  bool tries_another = false;
  double most = 1.0 + options.least_gain;
  for (const Candidate* const other : partners_of(first, view, options)) {
    const auto now = forecast_now(view, table, first.kernel, other->kernel);
    if (!now) continue;
    const auto trial = next_trial({&first, other, *now}, view, table, options);
    const bool ran_in_many = best_in_many_streams(first.kernel, other->kernel, table).has_value();
    for (PairForecast& way : table.ways(first.kernel, other->kernel)) {
      if (!suits(*first.running, way) || way.clocks != now->clocks) continue;
      const bool is_next_trial = trial && trial->shape() == way.shape();
      const CandidatePair pair{&first, other, way, is_next_trial || (!has_all_sms && is_for_trials(way))};
      const auto merit = schedule::merit(options.objective, way);
      if (!merit || is_too_long(pair, way, options) || (is_for_trials(way) && !pair.is_trial)) continue;
      // If it ran alone on all SMs, the work would be followed by others that fill the SMs which it leaves idle.
      const bool is_allowed = !has_all_sms || pair.is_trial ||
                              (may_run(pair, way, view, options) &&
                               gains(*merit, way, {first.traits, other->traits}, options, ran_in_many));
      const bool goes_on_trying = pair.is_trial && best.second == nullptr;
      if (!is_allowed || !(*merit >= most || goes_on_trying)) continue;
      best = pair;
      most = std::max(most, *merit);
      tries_another = trial && !is_next_trial;
    }
  }
  if (best.second == nullptr) return goes_on_alone(first, view, goes_on);
  if (!best.is_trial && (tries_another || had_better_part(best, view, table, options)))
    return goes_on_alone(first, view,
                         first.traits->name + " runs to its end alone, as the two had better run in another way");
  return {.shares = {*first.running, share_beside(*first.running, *best.second, best.forecast, view.limits)},
          .pair = PlannedPair{first.kernel, best.forecast.shape()},
          .clocks = best.forecast.clocks,
          .fills_sms = fill_streams(first, *best.second, best.forecast.shape(), options),
          .is_trial = best.is_trial,
          .speedup = best.forecast.speedup(),
          .reason = describe(best)};
}

// True if stopping and restarting the work would not let it end sooner.
bool had_better_go_on(const Candidate& work, const QueueView& view) {
  if (!work.running || work.running->form != Form::persistent || work.running->per_sm == 0) return false;
  const Nanoseconds left = time_left(work);
  return lost_by_going_on(*work.traits, left, work.running->per_sm, work.running->sms.count, view.limits) <=
         switching_time(*work.traits, view.limits);
}

// Returns the cost of the twin alone by the objective, divided by the cost of the kernel. A faster twin may draw so
// much more power that it costs more energy. If its power is unknown, its higher speed does not count.
double cost_as_twin(const KernelTraits& kernel, const Residency& best, const Objective& objective) {
  if (objective.goal == Goal::throughput) return 1.0 / best.speed;
  if (!kernel.power || !kernel.power->twin) return std::max(1.0, 1.0 / best.speed);
  const double energy = *kernel.power->twin / kernel.power->alone / best.speed;
  return objective.goal == Goal::energy ? energy : energy / best.speed;
}

// Tells whether a work that runs alone should run as a whole kernel and not as a twin.
bool runs_whole(const Candidate& work, const Residency& best, const PolicyOptions& options) {
  if (options.urgent_from || !can_share(*work.traits)) return true;
  if (work.running && work.running->form == Form::whole) return true;
  const Nanoseconds left = time_left(work);
  const bool is_known = left > Nanoseconds(0);
  if (!is_known) return false;
  const double cost = cost_as_twin(*work.traits, best, options.objective);
  const bool is_faster = best.speed >= 1.0 + options.least_gain;
  if (work.traits->persistent && is_faster && cost < 1.0) return false;
  const bool twin_loses = work.traits->persistent && cost > 1.0 + kTwinLoss;
  return left <= options.longest_whole * (twin_loses ? kLongerWhole : 1.0);
}

Plan alone(const Candidate& work, const QueueView& view, const PolicyOptions& options) {
  if (had_better_go_on(work, view)) return goes_on_alone(work, view, work.traits->name + " ends as it runs");
  const Residency best = best_residency(*work.traits);
  const Share share =
      runs_whole(work, best, options) ? whole_share(work) : shared_share(work, best.per_sm, view, options);
  return {.shares = {share},
          .clocks = work.traits->best_clocks,
          .fills_sms = fills_sms(share, *work.traits),
          .reason = fmt::format("{} alone, as no pair is expected to gain {} %", work.traits->name,
                                std::lround(100.0 * options.least_gain))};
}

// True if the remaining works of both kernels have about the same proportion as the works that ran when the way was
// proven.
bool is_mix_of(const ProvenWay& proven, const std::array<const Candidate*, 2>& two, const QueueView& view) {
  constexpr double kMostApart = 1.5;
  const double apart = works_left(two[0]->kernel, view) * static_cast<double>(proven.works[1]) /
                       (works_left(two[1]->kernel, view) * static_cast<double>(proven.works[0]));
  return apart <= kMostApart && kMostApart * apart >= 1.0;
}

// Plans for two kernels that have a proven way, if no other kernel waits. If the proven way is one after the other, it
// holds for any mix of works. For if the mix in which both take equally long gains nothing together, other mixes gain
// even less.
std::optional<Plan> proven_plan(const QueueView& view, const PairTable& table, const PolicyOptions& options) {
  if (options.objective != Objective() || view.clocks.can_set) return {};
  const auto two = only_two(view, options);
  if (!two) return {};
  const auto& [first, second] = *two;
  const auto proven = table.proven(first->kernel, second->kernel);
  if (!proven) return {};
  const auto running = running_works(view);
  if (!proven->shape.is_together()) {
    if (running.size() > 1) return {};
    if (running.size() == 1 && is_whole(running.front()))
      return goes_on_alone(*running.front(), view, "what runs whole runs to its end");
    return alone(next_alone(view, options), view, options);
  }
  const auto forecast = table.find(first->kernel, second->kernel, proven->shape, {});
  if (!forecast) return {};
  const CandidatePair pair{first, second, *forecast};
  if (forecast->many_streams) {
    const bool begins = running.empty() && !is_mix_of(*proven, *two, view);
    if (begins || !may_run(pair, *forecast, view, options)) return {};
    return in_many_streams(pair, view, options);
  }
  if (!forecast->whole && !may_run(pair, *forecast, view, options)) return {};
  const std::vector<Share> shares = shares_of(pair, view, options);
  const auto runs_so = [&](const Candidate* work) {
    return std::ranges::any_of(
        shares, [&](const Share& share) { return share.work == work->work && is_same_share(share, *work->running); });
  };
  if (!is_mix_of(*proven, *two, view) && std::ranges::none_of(running, runs_so)) return {};
  if (std::ranges::any_of(running, [&](const Candidate* work) { return is_whole(work) && !runs_so(work); }))
    return goes_on_alone(*running.front(), view, "what runs whole runs to its end");
  // In streams one work of each kernel runs at a time, as when the way was proven.
  return Plan{.shares = shares,
              .pair = PlannedPair{first->kernel, proven->shape},
              .speedup = forecast->speedup(),
              .reason = describe(pair)};
}

}  // namespace

Plan paired_plan(const QueueView& view, const PairTable& table, const PolicyOptions& options) {
  if (view.works.empty()) return {};
  if (auto plan = proven_plan(view, table, options)) return *std::move(plan);
  if (auto plan = many_streams_plan(view, table, options)) return *std::move(plan);
  const auto running = running_works(view);
  if (std::ranges::any_of(running, is_whole)) return beside_whole(running, view, table, options);
  const CandidatePair best = best_pair(view, table, options);
  if (best.first == nullptr) return alone(next_alone(view, options), view, options);
  if (best.forecast.many_streams) return in_many_streams(best, view, options);
  return {.shares = shares_of(best, view, options),
          .pair = PlannedPair{best.first->kernel, best.forecast.shape()},
          .clocks = best.forecast.clocks,
          .fills_sms = fill_streams(*best.first, *best.second, best.forecast.shape(), options),
          .is_trial = best.is_trial,
          .speedup = best.forecast.speedup(),
          .reason = describe(best)};
}

}  // namespace wattune::schedule
