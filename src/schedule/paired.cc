// The default policy: two kernels share every SM in the ratio that is expected to be best, or split the SMs where that
// is expected to be better, for as long as nothing better can be had.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "schedule/clock_choice.h"
#include "schedule/shares.h"

namespace wattune::schedule {

namespace {

// What stopping a kernel and starting it anew takes: its blocks end, the host sees it and launches.
constexpr Nanoseconds kSwitching{100e3};

// A twin that is slower by more is not what runs alone, as long as an arrival need not wait too long for the kernel.
constexpr double kTwinLoss = 0.01;
constexpr double kLongerWhole = 5.0;  // times longest_whole, on SMs of their own as well

// How a kernel runs alone by its persistent twin.
struct Residency {
  unsigned per_sm = 1;
  double speed = 1.0;  // over that of the kernel itself
};

// Some kernels are faster with fewer blocks on each SM, whose data then stay in its cache. Where clocks may be set that
// must be more than noise: at a lower clock fewer blocks do not keep the memory busy that do so at a higher one.
Residency best_residency(const KernelTraits& kernel) {
  constexpr double kMoreThanNoise = 1.02;
  const auto& rates = kernel.rate_at_residency;
  const auto best = std::ranges::max_element(rates);
  const bool is_noise = best != rates.end() && !kernel.at_clocks.empty() && *best < kMoreThanNoise;
  if (best == rates.end() || is_noise) return {std::max(1U, kernel.profile.blocks_alone), kernel.twin_speed};
  return {static_cast<unsigned>(best - rates.begin()) + 1, kernel.twin_speed * *best};
}

// As it is best alone, over that of the kernel itself.
double speed_alone(const KernelTraits& kernel) { return std::max(1.0, best_residency(kernel).speed); }

// Whoever goes first: the highest priority, to which long waiting adds one.
int urgency(const Candidate& work, const QueueView& view, const PolicyOptions& options) {
  const bool overdue = options.patience > 0.0 && work.traits->alone.value() > 0.0 &&
                       view.now - work.submitted > options.patience * work.traits->alone;
  return work.priority + (overdue ? 1 : 0);
}

int highest_urgency(const QueueView& view, const PolicyOptions& options) {
  int highest = urgency(view.works.front(), view, options);
  for (const Candidate& work : view.works) highest = std::max(highest, urgency(work, view, options));
  return highest;
}

// One work of each kernel and urgency that may run beside another: of what cannot be told apart the first.
std::vector<const Candidate*> distinct_works(const QueueView& view, const PolicyOptions& options) {
  std::vector<const Candidate*> works;
  for (const Candidate& work : view.works) {
    const bool is_known = std::ranges::any_of(works, [&](const Candidate* other) {
      return other->kernel == work.kernel && urgency(*other, view, options) >= urgency(work, view, options);
    });
    if (!is_known && can_share(*work.traits)) works.push_back(&work);
  }
  return works;
}

// By how much a pair must beat the one that runs: stopping a kernel costs the end of its blocks.
double handicap(const Candidate& first, const Candidate& second, const PolicyOptions& options) {
  const int stays = (first.running ? 1 : 0) + (second.running ? 1 : 0);
  return 1.0 + options.margin * (2 - stays);
}

// Whether this one goes on as it runs where it has so many blocks on each SM, or so many SMs.
bool goes_on(const Candidate& work, unsigned per_sm, unsigned sms) {
  const Share& share = *work.running;
  return sms > 0 ? share.sms.count == sms : share.sms.count == 0 && share.per_sm == per_sm;
}

// How many of the two would have to be started anew, of those that are not whole.
unsigned restarts(const CandidatePair& pair, const PairForecast& way, const MachineLimits& limits) {
  const unsigned sms_of_second = way.sms_of_first > 0 ? limits.sms - way.sms_of_first : 0;
  const auto is_parted = [&](const Candidate& work, unsigned per_sm, unsigned sms) {
    return work.running && (way.whole || !goes_on(work, per_sm, sms));
  };
  const bool first = is_parted(*pair.first, way.ratio.first, way.sms_of_first);
  const bool second = is_parted(*pair.second, way.ratio.second, sms_of_second);
  return (first ? 1 : 0) + (second ? 1 : 0);
}

bool both_run(const CandidatePair& pair) { return pair.first->running && pair.second->running; }

// Over one after the other, each as it is best alone. What that costs in joules is not known.
bool gains(double merit, const PairForecast& forecast, const std::array<const KernelTraits*, 2>& kernels,
           const PolicyOptions& options) {
  const double in_turn = forecast.rates[0] / speed_alone(*kernels[0]) + forecast.rates[1] / speed_alone(*kernels[1]);
  return merit >= 1.0 + options.least_gain &&
         (options.objective.goal != Goal::throughput || in_turn >= 1.0 + options.least_gain);
}

// Of all works of its kernel that wait or run, what is left, alone.
Nanoseconds backlog_of(const Candidate& of, const QueueView& view) {
  const auto later = std::ranges::find(view.later, of.kernel, &WorkCount::kernel);
  double works = later == view.later.end() ? 0.0 : static_cast<double>(later->works);
  for (const Candidate& work : view.works)
    if (work.kernel == of.kernel) works += std::max(work.left, 0.0);
  return works * of.traits->alone;
}

// How much faster than alone what is left of the one will go on when nothing is left of the other: beside whatever
// suits it best of the rest.
double speed_without(const Candidate& work, const Candidate& partner, const QueueView& view, const PairTable& table) {
  double best = speed_alone(*work.traits);
  for (const Candidate& other : view.works) {
    if (other.kernel == work.kernel || other.kernel == partner.kernel) continue;
    const auto forecast = forecast_now(view, table, work.kernel, other.kernel);
    if (forecast) best = std::max(best, forecast->speedup());
  }
  return best;
}

// Two kernels with what is left of each: both run together until one has nothing left.
struct Remainder {
  std::array<Nanoseconds, 2> alone;      // their works by themselves
  std::array<double, 2> speeds_without;  // of what is left then
};

// Time, energy or their product until nothing is left of either, by the objective; `lost` is time before.
double cost_of(const PairForecast& way, const Remainder& left, Nanoseconds lost, const Objective& objective) {
  const Nanoseconds together = std::min(left.alone[0] / way.rates[0], left.alone[1] / way.rates[1]);
  Nanoseconds time = lost + together;
  double energy = (time * way.power().value()).value();
  for (std::size_t i = 0; i < 2; ++i) {
    const Nanoseconds rest = (left.alone[i] - way.rates[i] * together) / left.speeds_without[i];
    time += rest;
    energy += (rest * way.watts.alone[i].value()).value();
  }
  switch (objective.goal) {
    case Goal::throughput: return time.value();
    case Goal::energy: return energy;
    case Goal::energy_delay: return energy * time.value();
  }
  return time.value();
}

Remainder remainder_of(const CandidatePair& pair, const QueueView& view, const PairTable& table) {
  return {.alone = {backlog_of(*pair.first, view), backlog_of(*pair.second, view)},
          .speeds_without = {speed_without(*pair.first, *pair.second, view, table),
                             speed_without(*pair.second, *pair.first, view, table)}};
}

// Nothing stops what runs whole, so that arrivals wait for it.
bool is_too_long(const CandidatePair& pair, const PairForecast& way, const PolicyOptions& options) {
  const Nanoseconds longest = kLongerWhole * options.longest_whole;
  return pair.first->left * pair.first->traits->alone > way.rates[0] * longest ||
         pair.second->left * pair.second->traits->alone > way.rates[1] * longest;
}

// Whole, where nobody else waits, who might suit one of the two better later.
bool may_run(const CandidatePair& pair, const PairForecast& way, const QueueView& view, const PolicyOptions& options) {
  if (way.sms_of_first > 0 && !(pair.first->traits->persistent && pair.second->traits->persistent)) return false;
  return !way.whole || (!is_too_long(pair, way, options) && std::ranges::all_of(view.works, [&](const Candidate& work) {
    return work.kernel == pair.first->kernel || work.kernel == pair.second->kernel;
  }));
}

// Of the ways in which the pair gains that with which all that is left of the two ends best. What runs keeps its share,
// unless another is better by more than starting it anew costs, and by more than forecasts are off.
std::optional<PairForecast> best_way(const CandidatePair& pair, const QueueView& view, const PairTable& table,
                                     const PolicyOptions& options) {
  const Remainder left = remainder_of(pair, view, table);
  std::optional<PairForecast> best;
  double least = std::numeric_limits<double>::infinity();
  for (PairForecast& way : table.ways(pair.first->kernel, pair.second->kernel)) {
    const unsigned anew = restarts(pair, way, view.limits);
    const auto merit = schedule::merit(options.objective, way);
    const bool as_they_run = both_run(pair) && anew == 0;
    if (!merit || !(as_they_run || gains(*merit, way, {pair.first->traits, pair.second->traits}, options))) continue;
    if (way.clocks != pair.forecast.clocks || !may_run(pair, way, view, options)) continue;
    const double cost =
        cost_of(way, left, anew * kSwitching, options.objective) / (as_they_run ? 1.0 + options.margin : 1.0);
    if (cost < least) best = std::move(way), least = cost;
  }
  return best;
}

// Whether of what is left of the two more time is saved than is lost by starting kernels anew: one at least, when the
// other has ended. Where both run that is lost by parting them, too.
bool saves_time(const CandidatePair& pair, const QueueView& view) {
  const bool are_known = pair.first->traits->alone > Nanoseconds(0) && pair.second->traits->alone > Nanoseconds(0);
  if (!are_known) return true;  // nothing can be reckoned
  const std::array speeds = {speed_alone(*pair.first->traits), speed_alone(*pair.second->traits)};
  const Remainder left{.alone = {backlog_of(*pair.first, view), backlog_of(*pair.second, view)},
                       .speeds_without = speeds};
  const Nanoseconds in_turn = left.alone[0] / speeds[0] + left.alone[1] / speeds[1];
  const double parting = both_run(pair) ? 2.0 : 0.0;
  const Nanoseconds lost = kSwitching * (1.0 + restarts(pair, pair.forecast, view.limits) - parting);
  return cost_of(pair.forecast, left, lost, {}) <= in_turn.value();
}

struct ScoredPair {
  double score = 0.0;
  const Candidate* first = nullptr;
  const Candidate* second = nullptr;
};

// The pairs that are forecast to gain and whoever runs together, the one to prefer first.
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
      if (!both_run && !gains(*merit, *forecast, {first.traits, second.traits}, options)) continue;
      const double score = *merit / (something_runs ? handicap(first, second, options) : 1.0) /
                           clock_handicap(*forecast, view.clocks, options);
      pairs.push_back({score, &first, &second});
    }
  std::ranges::stable_sort(pairs, std::greater(), &ScoredPair::score);
  return pairs;
}

// The first of them that is worth it, in its best way; none.
CandidatePair best_pair(const QueueView& view, const PairTable& table, const PolicyOptions& options) {
  for (const ScoredPair& each : pairs_by_preference(view, table, options)) {
    CandidatePair pair{each.first, each.second, *forecast_now(view, table, each.first->kernel, each.second->kernel)};
    std::optional<PairForecast> way = best_way(pair, view, table, options);
    if (!way) continue;
    pair.forecast = *std::move(way);
    if (options.objective.goal != Goal::throughput || saves_time(pair, view)) return pair;
  }
  return {};
}

// What runs goes on, unless something more urgent waits. While clocks must be held, those go first that suit them.
const Candidate& next_alone(const QueueView& view, const PolicyOptions& options) {
  const int highest = highest_urgency(view, options);
  return first_at_clocks(view, options, [&](const Candidate& work) { return urgency(work, view, options) == highest; });
}

bool is_whole(const Candidate* work) { return work->running->form == Form::whole; }
bool is_whole_on_all(const Candidate* work) { return is_whole(work) && work->running->sms.count == 0; }

// Whether all that is left of the two ends sooner if nobody joins the first until it ends, and the two then run in
// another way. What that costs in joules is not known.
bool had_better_part(const CandidatePair& pair, const QueueView& view, const PairTable& table,
                     const PolicyOptions& options) {
  if (options.objective.goal != Goal::throughput) return false;
  Remainder left = remainder_of(pair, view, table);
  const double on_with_it = cost_of(pair.forecast, left, {}, {});
  const Nanoseconds rest = pair.first->left * pair.first->traits->alone;
  left.alone[0] = std::max(left.alone[0] - rest, Nanoseconds(0));
  const Nanoseconds waiting = kSwitching + rest / pair.forecast.rates[0];
  return std::ranges::any_of(table.ways(pair.first->kernel, pair.second->kernel), [&](const PairForecast& way) {
    return way.clocks == pair.forecast.clocks && way.shape() != pair.forecast.shape() &&
           schedule::merit(options.objective, way) && may_run(pair, way, view, options) &&
           (1.0 + options.margin) * cost_of(way, left, waiting, {}) < on_with_it;
  });
}

// What runs whole on some of the SMs gets the best partner for the others, of the most urgent that wait.
Plan beside_whole(const std::vector<const Candidate*>& running, const QueueView& view, const PairTable& table,
                  const PolicyOptions& options) {
  const Candidate& first = *running.front();
  const std::string goes_on = "whole kernels on SMs of their own run to their ends";
  if (running.size() > 1) return unchanged(view, 1.0, goes_on);
  int highest = std::numeric_limits<int>::min();
  for (const Candidate& other : view.works)
    if (!other.running) highest = std::max(highest, urgency(other, view, options));
  CandidatePair best;
  double most = 1.0 + options.least_gain;
  for (const Candidate& other : view.works) {
    if (other.running || other.kernel == first.kernel || urgency(other, view, options) < highest) continue;
    const auto now = forecast_now(view, table, first.kernel, other.kernel);
    for (PairForecast& way : table.ways(first.kernel, other.kernel)) {
      const CandidatePair pair{&first, &other, way};
      if (!way.whole || way.sms_of_first != first.running->sms.count || is_too_long(pair, way, options)) continue;
      const auto merit = schedule::merit(options.objective, way);
      if (merit && way.clocks == now->clocks && *merit >= most) best = pair, most = *merit;
    }
  }
  if (best.second == nullptr) return unchanged(view, 1.0, goes_on);
  if (had_better_part(best, view, table, options))
    return unchanged(view, 1.0,
                     first.traits->name + " runs to its end alone, as the two had better run in another way");
  return {.shares = {*first.running, whole_share(*best.second, rest_of(first.running->sms, view.limits.sms))},
          .clocks = best.forecast.clocks,
          .speedup = best.forecast.speedup(),
          .reason = describe(best)};
}

// Alone as it runs, over that of the kernel itself.
double speed_as_it_runs(const Candidate& work, const MachineLimits& limits) {
  const Share& share = *work.running;
  const KernelTraits& kernel = *work.traits;
  if (share.sms.count > 0)
    return kernel.twin_speed * std::min(1.0, share.sms.count / (limits.sms * std::max(kernel.saturating_share, 1e-6)));
  if (share.per_sm <= kernel.rate_at_residency.size())
    return kernel.twin_speed * kernel.rate_at_residency[share.per_sm - 1];
  return std::min(1.0, static_cast<double>(share.per_sm) / std::max(1U, kernel.profile.blocks_alone));
}

// What is left of it ends no sooner where it is stopped and started anew.
bool had_better_go_on(const Candidate& work, const QueueView& view) {
  if (!work.running || work.running->form != Form::persistent || work.running->per_sm == 0) return false;
  const double lost = 1.0 / std::max(speed_as_it_runs(work, view.limits), 1e-6) - 1.0 / speed_alone(*work.traits);
  return work.traits->alone * (work.left * lost) <= kSwitching;
}

bool runs_whole(const Candidate& work, const Residency& best, const PolicyOptions& options) {
  if (!can_share(*work.traits) || (work.running && work.running->form == Form::whole)) return true;
  const Nanoseconds left = work.traits->alone * work.left;
  const bool is_known = left > Nanoseconds(0);
  if (!is_known || (work.traits->persistent && best.speed >= 1.0 + options.least_gain)) return false;
  const bool twin_loses = work.traits->persistent && best.speed < 1.0 - kTwinLoss;
  return left <= options.longest_whole * (twin_loses ? kLongerWhole : 1.0);
}

Plan alone(const Candidate& work, const QueueView& view, const PolicyOptions& options) {
  if (had_better_go_on(work, view)) return unchanged(view, 1.0, work.traits->name + " ends as it runs");
  const Residency best = best_residency(*work.traits);
  return {
      .shares = {runs_whole(work, best, options) ? whole_share(work) : shared_share(work, best.per_sm, view, options)},
      .clocks = work.traits->best_clocks,
      .reason = fmt::format("{} alone, as no pair is expected to gain {:.0f} %", work.traits->name,
                            100.0 * options.least_gain)};
}

}  // namespace

Plan paired_plan(const QueueView& view, const PairTable& table, const PolicyOptions& options) {
  if (view.works.empty()) return {};
  const auto running = running_works(view);
  if (std::ranges::any_of(running, is_whole_on_all)) return unchanged(view, 1.0, "what runs whole runs to its end");
  if (std::ranges::any_of(running, is_whole)) return beside_whole(running, view, table, options);
  const CandidatePair best = best_pair(view, table, options);
  if (best.first == nullptr) return alone(next_alone(view, options), view, options);
  return {.shares = shares_of(best, view, options),
          .clocks = best.forecast.clocks,
          .speedup = best.forecast.speedup(),
          .reason = describe(best)};
}

}  // namespace wattune::schedule
