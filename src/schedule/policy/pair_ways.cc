#include "schedule/policy/pair_ways.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "schedule/policy/way_choice.h"

namespace wattune::inline v0_1::schedule {

namespace {

// True if the work can continue as it runs now: with this many blocks on each SM, or on this many SMs.
bool goes_on(const Candidate& work, unsigned per_sm, unsigned sms) {
  const Share& share = *work.running;
  return sms > 0 ? share.sms.count == sms : share.sms.count == 0 && share.per_sm == per_sm;
}

// Tells which of the two works would have to be restarted for this way. Precondition: neither runs as a whole kernel
// now.
std::array<bool, 2> restarts(const CandidatePair& pair, const PairForecast& way, const MachineLimits& limits) {
  const unsigned sms_of_second = way.sms_of_first ? limits.sms - *way.sms_of_first : 0;
  const auto is_parted = [&](const Candidate& work, unsigned per_sm, unsigned sms) {
    return work.running && (way.whole || !goes_on(work, per_sm, sms));
  };
  return {is_parted(*pair.first, way.ratio.first, way.sms_of_first.value_or(0)),
          is_parted(*pair.second, way.ratio.second, sms_of_second)};
}

// Returns the time that it costs to restart the kernels of a pair for which `anew` is true.
Nanoseconds switching_of(const CandidatePair& pair, const std::array<bool, 2>& anew, const MachineLimits& limits) {
  return (anew[0] ? switching_time(*pair.first->traits, limits) : Nanoseconds(0)) +
         (anew[1] ? switching_time(*pair.second->traits, limits) : Nanoseconds(0));
}

// True if the work has less than all of the GPU: it runs beside another, or alone in a share that is smaller than a
// kernel alone gets.
bool runs_in_a_share(const Candidate& work) {
  if (!work.running || work.running->form != Form::persistent) return false;
  return work.running->sms.count > 0 || work.running->per_sm != best_residency(*work.traits).per_sm;
}

// Returns the speed of the twin in a share, divided by the speed of the kernel itself.
double speed_in(const KernelTraits& kernel, unsigned per_sm, unsigned sms, const MachineLimits& limits) {
  if (sms > 0) return kernel.twin_speed * std::min(1.0, sms / (limits.sms * std::max(kernel.saturating_share, 1e-6)));
  if (per_sm <= kernel.rate_at_residency.size()) return kernel.twin_speed * kernel.rate_at_residency[per_sm - 1];
  return std::min(1.0, static_cast<double>(per_sm) / std::max(1U, kernel.profile.blocks_alone));
}

// Returns the remaining solo time, summed over all waiting and running works of this kernel.
Nanoseconds backlog_of(const Candidate& of, const QueueView& view) {
  return works_left(of.kernel, view) * of.traits->alone.value_or(Nanoseconds());
}

// Returns the speed of the kernel in its best way alone, at its best clocks, divided by its speed at the board's own
// clocks.
double speed_in_turn(const KernelTraits& kernel) { return speed_alone(kernel) / kernel.slower_alone(); }

// Returns the speed as speed_in_turn() does, but for all remaining works of a kernel. Launches fill the SMs that
// previous ones leave idle, but the first launch gains nothing by that.
double speed_of_rest(const Candidate& of, const QueueView& view) {
  const KernelTraits& kernel = *of.traits;
  const double works = std::max(1.0, works_left(of.kernel, view));
  const double overlapped = works / (1.0 + (works - 1.0) / std::max(1.0, kernel.overlapped_speed));
  return std::max(overlapped, best_residency(kernel).speed) / kernel.slower_alone();
}

// Returns the speed of a work once its partner is done, divided by its speed alone. It then continues alone, or beside
// the best partner among the other works.
double speed_without(const Candidate& work, const Candidate& partner, const QueueView& view, const PairTable& table) {
  double best = speed_of_rest(work, view);
  for (const Candidate& other : view.works) {
    if (other.kernel == work.kernel || other.kernel == partner.kernel) continue;
    const auto forecast = forecast_now(view, table, work.kernel, other.kernel);
    if (forecast) best = std::max(best, forecast->speedup());
  }
  return best;
}

// Returns the time until one of the two is done.
Nanoseconds time_together(const PairForecast& way, const Remainder& left) {
  return std::min(left.alone[0] / way.rates[0], left.alone[1] / way.rates[1]);
}

// Returns the share by which `other` must be better than `way`. Measured speeds of works of both kernels are more exact
// than forecasts, so they need a smaller share. A way with a single measured work or pilot must be much better than a
// way that has run more often.
double margin_over(const PairForecast& way, const PairForecast& other, const PolicyOptions& options) {
  constexpr double kErrorOfWorks = 0.01;
  const bool are_measured = way.measured > 0 && other.measured >= std::min<std::size_t>(2, way.measured);
  return are_measured ? std::min(kErrorOfWorks, options.margin) : options.margin;
}

// Returns the time that is lost because a whole work stays on its SMs when its partner has ended and no work follows on
// the partner's SMs.
Nanoseconds lost_on_own_sms(const CandidatePair& pair, const Remainder& left) {
  const PairForecast& way = pair.forecast;
  const bool stays_there = way.whole && way.sms_of_first;
  if (!stays_there || !pair.first->traits->alone || !pair.second->traits->alone) return {};
  const Nanoseconds together = time_together(way, left);
  const std::size_t longer = left.alone[0] / way.rates[0] > left.alone[1] / way.rates[1] ? 0 : 1;
  const Candidate& work = longer == 0 ? *pair.first : *pair.second;
  const Nanoseconds done = way.rates[longer] * together;
  const double works = done / *work.traits->alone - work.left;  // number of works that ended behind the present one
  constexpr double kRounding = 1e-6;
  const double part = works < 0.0 ? -works : std::ceil(works - kRounding) - works;
  const Nanoseconds stays = std::min(part * *work.traits->alone, left.alone[longer] - done);
  return std::max(0.0, 1.0 / way.rates[longer] - 1.0 / left.speeds_without[longer]) * stays;
}

// Returns the time that is lost when one of the two has ended: the other is restarted, or continues in its share.
Nanoseconds lost_by_the_rest(const CandidatePair& pair, const Remainder& left, const MachineLimits& limits) {
  const PairForecast& way = pair.forecast;
  if (way.shape().is_in_streams()) return {};
  const Nanoseconds together = time_together(way, left);
  const bool is_of_second = left.alone[0] / way.rates[0] <= left.alone[1] / way.rates[1];
  const KernelTraits& kernel = is_of_second ? *pair.second->traits : *pair.first->traits;
  const Nanoseconds rest =
      is_of_second ? left.alone[1] - way.rates[1] * together : left.alone[0] - way.rates[0] * together;
  const unsigned per_sm = is_of_second ? way.ratio.second : way.ratio.first;
  const unsigned sms_of_second = way.sms_of_first ? limits.sms - *way.sms_of_first : 0;
  const Nanoseconds going_on =
      lost_by_going_on(kernel, rest, per_sm, is_of_second ? sms_of_second : way.sms_of_first.value_or(0), limits);
  return std::min(going_on, switching_time(kernel, limits));
}

// True if the works have the same urgency and no limits, and must end as soon as possible at the board's own clocks.
bool suits_many_streams(const QueueView& view, const PolicyOptions& options) {
  return options.objective == Objective() && !options.urgent_from && !view.clocks.can_set &&
         std::ranges::all_of(view.works, [&](const Candidate& work) {
           return work.limit == kForever && urgency(work, view, options) == urgency(view.works.front(), view, options);
         });
}

// True if the rest of a work at this speed takes longer than the limit of the whole work.
bool exceeds_limit(const Candidate& work, double rate) { return time_left(work) > rate * work.limit; }

}  // namespace

Nanoseconds time_left(const Candidate& work) { return work.left * work.traits->alone.value_or(Nanoseconds()); }

double cost_of(const PairForecast& way, const Remainder& left, Nanoseconds lost, const Objective& objective) {
  const Nanoseconds together = time_together(way, left);
  Nanoseconds time = lost + together;
  double energy = way.watts ? (time * way.power().value()).value() : 0.0;
  for (std::size_t i = 0; i < 2; ++i) {
    const Nanoseconds rest = (left.alone[i] - way.rates[i] * together) / left.speeds_without[i];
    time += rest;
    if (way.watts) energy += (rest * (way.watts->alone[i].value() / way.slower_alone[i])).value();
  }
  switch (objective.goal) {
    case Goal::throughput: return time.value();
    case Goal::energy: return energy;
    case Goal::energy_delay: return energy * time.value();
  }
  return time.value();
}

double works_left(KernelId kernel, const QueueView& view) {
  const auto later = std::ranges::find(view.later, kernel, &WorkCount::kernel);
  double works = later == view.later.end() ? 0.0 : static_cast<double>(later->works);
  for (const Candidate& work : view.works)
    if (work.kernel == kernel) works += std::max(work.left, 0.0);
  return works;
}

Remainder remainder_of(const CandidatePair& pair, const QueueView& view, const PairTable& table) {
  return {.alone = {backlog_of(*pair.first, view), backlog_of(*pair.second, view)},
          .speeds_without = {speed_without(*pair.first, *pair.second, view, table),
                             speed_without(*pair.second, *pair.first, view, table)}};
}

PairForecast in_proportion(PairForecast way, const Remainder& left) {
  const Nanoseconds all = left.alone[0] + left.alone[1];
  if (!way.many_streams || !(std::min(left.alone[0], left.alone[1]) > Nanoseconds(0))) return way;
  const double speedup = way.speedup();
  for (std::size_t i = 0; i < 2; ++i) way.rates[i] = speedup * (left.alone[i] / all);
  return way;
}

bool may_run(const CandidatePair& pair, const PairForecast& way, const QueueView& view, const PolicyOptions& options) {
  if (way.many_streams && !suits_many_streams(view, options)) return false;
  if (options.urgent_from) return way.whole;
  const std::array kernels = {pair.first->traits, pair.second->traits};
  const bool is_slow =
      way.measured > 0 && (exceeds_limit(*pair.first, way.rates[0]) || exceeds_limit(*pair.second, way.rates[1]));
  if (is_slow) return false;
  if (!way.whole && !way.sms_of_first)
    return std::ranges::all_of(kernels, [](const KernelTraits* each) { return can_share(*each); });
  if (!way.whole) return std::ranges::all_of(kernels, &KernelTraits::persistent);
  return !is_too_long(pair, way, options) && std::ranges::all_of(view.works, [&](const Candidate& work) {
    return work.kernel == pair.first->kernel || work.kernel == pair.second->kernel;
  });
}

Residency best_residency(const KernelTraits& kernel) {
  constexpr double kMoreThanNoise = 1.02;
  const auto& rates = kernel.rate_at_residency;
  const auto best = std::ranges::max_element(rates);
  if (best == rates.end() || *best < std::max(kMoreThanNoise, kernel.overlapped_speed))
    return {std::max(1U, kernel.profile.blocks_alone), kernel.twin_speed};
  return {static_cast<unsigned>(best - rates.begin()) + 1, kernel.twin_speed * *best};
}

double speed_alone(const KernelTraits& kernel) {
  return std::max({1.0, kernel.overlapped_speed, best_residency(kernel).speed});
}

Nanoseconds switching_time(const KernelTraits& kernel, const MachineLimits& limits) {
  const double wave = static_cast<double>(std::max(1U, kernel.profile.blocks_alone)) * limits.sms;
  return kSwitchDelay +
         0.5 * kernel.alone.value_or(Nanoseconds()) * std::min(1.0, wave / static_cast<double>(kernel.blocks));
}

Nanoseconds lost_by_going_on(const KernelTraits& kernel, Nanoseconds left, unsigned per_sm, unsigned sms,
                             const MachineLimits& limits) {
  const double slower =
      1.0 / std::max(speed_in(kernel, per_sm, sms, limits), 1e-6) - 1.0 / std::max(1.0, best_residency(kernel).speed);
  return std::max(0.0, slower) * left;
}

std::optional<PairForecast> best_in_many_streams(KernelId first, KernelId second, const PairTable& table) {
  std::optional<PairForecast> best;
  for (PairForecast& way : table.ways(first, second))
    if (way.many_streams && way.measured > 0 && (!best || way.speedup() > best->speedup())) best = std::move(way);
  return best;
}

bool gains(double merit, const PairForecast& forecast, const std::array<const KernelTraits*, 2>& kernels,
           const PolicyOptions& options, bool ran_in_many_streams) {
  if (ran_in_many_streams) return merit >= 1.0 + options.least_gain;
  const double in_turn =
      forecast.rates[0] / speed_in_turn(*kernels[0]) + forecast.rates[1] / speed_in_turn(*kernels[1]);
  return merit >= 1.0 + options.least_gain &&
         (options.objective.goal != Goal::throughput || in_turn >= 1.0 + options.least_gain);
}

Nanoseconds longest_in_pair(const KernelTraits& kernel, const PolicyOptions& options) {
  constexpr double kLongerThanAlone = 3.0;
  if (options.urgent_from) return kForever;
  return std::clamp(kLongerThanAlone * kernel.alone.value_or(Nanoseconds()), kLongerWhole * options.longest_whole,
                    kLongerInPair * options.longest_whole);
}

bool is_too_long(const CandidatePair& pair, const PairForecast& way, const PolicyOptions& options) {
  const auto is_longer = [&](const Candidate& work, double rate) {
    // In streams the work may have all SMs.
    const Nanoseconds longest = longest_in_pair(*work.traits, options);
    return time_left(work) > (way.sms_of_first ? rate : 1.0) * longest || exceeds_limit(work, rate);
  };
  return is_longer(*pair.first, way.rates[0]) || is_longer(*pair.second, way.rates[1]);
}

std::optional<PairForecast> best_way(const CandidatePair& pair, const QueueView& view, const PairTable& table,
                                     const PolicyOptions& options) {
  const Remainder left = remainder_of(pair, view, table);
  const bool only_measured = waits_for_trials(pair, view, table, options);
  const bool ran_in_many = best_in_many_streams(pair.first->kernel, pair.second->kernel, table).has_value();
  std::optional<PairForecast> best;
  double least = std::numeric_limits<double>::infinity();
  for (const PairForecast& each : table.ways(pair.first->kernel, pair.second->kernel)) {
    PairForecast way = in_proportion(each, left);
    const std::array<bool, 2> anew = restarts(pair, way, view.limits);
    const auto merit = schedule::merit(options.objective, way);
    const bool as_they_run = both_run(pair) && !anew[0] && !anew[1];
    // A work that became whole cannot return to its share before it has ended.
    const bool becomes_whole = way.whole && (anew[0] || anew[1]) && !both_run(pair);
    if (!merit || !(as_they_run || gains(*merit, way, {pair.first->traits, pair.second->traits}, options, ran_in_many)))
      continue;
    if (is_for_trials(way) || (only_measured && way.measured == 0)) continue;
    if (way.clocks != pair.forecast.clocks || !may_run(pair, way, view, options)) continue;
    const double cost = cost_of(way, left, switching_of(pair, anew, view.limits), options.objective) *
                        (becomes_whole ? 1.0 + options.margin : 1.0) / (as_they_run ? 1.0 + options.margin : 1.0);
    if (cost < least) best = std::move(way), least = cost;
  }
  return best;
}

bool saves_time(const CandidatePair& pair, const QueueView& view, const PairTable& table,
                const PolicyOptions& options) {
  const bool are_known = pair.first->traits->alone && pair.second->traits->alone;
  if (!are_known) return true;  // without these times, nothing can be computed
  const PairForecast& way = pair.forecast;
  const std::array speeds = {speed_of_rest(*pair.first, view), speed_of_rest(*pair.second, view)};
  const Remainder left{.alone = {backlog_of(*pair.first, view), backlog_of(*pair.second, view)},
                       .speeds_without = speeds};
  const Nanoseconds together = time_together(way, left);
  const auto in_many = best_in_many_streams(pair.first->kernel, pair.second->kernel, table);
  const Nanoseconds in_turn = together * (in_many ? way.speedup() / std::max(1.0, in_many->speedup())
                                                  : way.rates[0] / speeds[0] + way.rates[1] / speeds[1]);
  const Nanoseconds parting =
      switching_of(pair, {runs_in_a_share(*pair.first), runs_in_a_share(*pair.second)}, view.limits);
  const Nanoseconds lost = switching_of(pair, restarts(pair, way, view.limits), view.limits) +
                           lost_by_the_rest(pair, left, view.limits) - parting;
  const double least_gain = both_run(pair) || in_many ? 0.0 : options.least_gain;
  return (1.0 + least_gain) * (together + lost) <= in_turn;
}

bool had_better_part(const CandidatePair& pair, const QueueView& view, const PairTable& table,
                     const PolicyOptions& options) {
  if (options.objective.goal != Goal::throughput) return false;
  Remainder left = remainder_of(pair, view, table);
  const double on_with_it = cost_of(pair.forecast, left, lost_on_own_sms(pair, left), {});
  const Nanoseconds rest = time_left(*pair.first);
  left.alone[0] = std::max(left.alone[0] - rest, Nanoseconds(0));
  const Nanoseconds waiting = kSwitchDelay + rest / pair.forecast.rates[0];
  const Nanoseconds in_turn =
      left.alone[0] / speed_of_rest(*pair.first, view) + left.alone[1] / speed_of_rest(*pair.second, view);
  if ((waiting + in_turn).value() < on_with_it) return true;
  const bool only_measured = waits_for_trials(pair, view, table, options);
  return std::ranges::any_of(table.ways(pair.first->kernel, pair.second->kernel), [&](const PairForecast& way) {
    return way.clocks == pair.forecast.clocks && way.shape() != pair.forecast.shape() && !is_for_trials(way) &&
           !(only_measured && way.measured == 0) && schedule::merit(options.objective, way) &&
           may_run(pair, way, view, options) &&
           (1.0 + margin_over(pair.forecast, way, options)) * cost_of(in_proportion(way, left), left, waiting, {}) <
               on_with_it;
  });
}

}  // namespace wattune::schedule
