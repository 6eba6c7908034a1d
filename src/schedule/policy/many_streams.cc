#include "schedule/policy/many_streams.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "schedule/policy/pair_ways.h"
#include "schedule/policy/way_choice.h"

namespace wattune::inline v0_1::schedule {

namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
// Bounds on the number of works of both kernels in a first trial. Between the bounds, the trial takes a quarter of the
// works that are left.
constexpr double kLeastInManyStreams = 8.0;
constexpr double kMostInManyStreams = 16.0;
constexpr double kCloseToBest = 1.01;  // Many streams are kept up to this cost over that of the best way.

bool is_whole_on_all_sms(const Candidate* work) {
  return work->running->form == Form::whole && work->running->sms.count == 0;
}

// True if more than one work of each kernel runs.
bool are_many(const std::vector<const Candidate*>& running) {
  return running.size() > 2 || (running.size() == 2 && running[0]->kernel == running[1]->kernel);
}

// The works that are added to those that run. Works of both kernels begin in the proportion of all their works, so that
// both kernels end together and the works in flight are always of the same mix.
class Selection {
 public:
  Selection(const CandidatePair& pair, const QueueView& view, const PolicyOptions& options)
      : pair_(pair), options_(options) {
    const std::array<KernelId, 2> kernels = {pair.first->kernel, pair.second->kernel};
    const auto place_of = [&](KernelId kernel) -> std::size_t { return kernel == kernels[0] ? 0 : 1; };
    for (const Candidate& work : view.works) {
      const std::size_t which = place_of(work.kernel);
      ++all_[which];
      if (!work.running) {
        waiting_[which].push_back(&work);
        continue;
      }
      shares_.push_back(*work.running);
      ++chosen_[which];
      ++begun_[which];
    }
    const auto add = [&](const std::vector<WorkCount>& counts, std::array<double, 2>& sums) {
      for (const WorkCount& each : counts) sums[place_of(each.kernel)] += static_cast<double>(each.works);
    };
    add(view.later, all_);
    add(view.behind, begun_);
    add(view.ended_in_many_streams, all_);
    add(view.ended_in_many_streams, begun_);
    if (pair.is_trial) limit_to_trial();
  }

  // Adds works to the plan while streams are free, and then as many that follow in the same streams. Nothing follows
  // the works of a trial.
  void fill(Plan& plan) {
    add_to(shares_, options_.most_streams);
    plan.shares = std::move(shares_);
    plan.ahead.emplace();
    if (!pair_.is_trial) add_to(*plan.ahead, plan.shares.size());
  }

 private:
  void add_to(std::vector<Share>& shares, std::size_t most) {
    while (shares.size() < most) {
      const std::size_t which = next();
      if (!has_more(which)) return;
      Share share = whole_share(*waiting_[which][taken_[which]++]);
      share.priority = pair_.forecast.urgent == which ? 1 : 0;
      shares.push_back(share);
      ++chosen_[which];
      ++begun_[which];
    }
  }

  // Limits the works to be begun to those of a trial. They have the mix of the works that are left, with at least one
  // work of each kernel.
  void limit_to_trial() {
    const double of_trial = std::clamp(0.25 * (all_[0] + all_[1]), kLeastInManyStreams, kMostInManyStreams);
    const bool is_long = pair_.forecast.measured > 0 || pair_.forecast.urgent;
    const double works = is_long ? kWorksToBeSure : of_trial;
    const double part = std::max(works / (all_[0] + all_[1]), 1.0 / std::min(all_[0], all_[1]));
    for (std::size_t i = 0; i < 2; ++i) most_[i] = chosen_[i] + std::max(0.0, std::round(part * all_[i]) - begun_[i]);
  }

  // Returns the kernel of the next work.
  std::size_t next() const {
    const bool first_is_behind = begun_[0] * all_[1] <= begun_[1] * all_[0];
    const std::size_t which = first_is_behind ? 0 : 1;
    return has_more(which) ? which : 1 - which;
  }

  // True if a work of this kernel waits and may begin, and if the chosen works do not take too long.
  bool has_more(std::size_t which) const {
    const KernelTraits& kernel = *(which == 0 ? pair_.first : pair_.second)->traits;
    const Nanoseconds time = (chosen_[which] + 1.0) * kernel.alone.value_or(Nanoseconds());
    const bool has_time = chosen_[which] == 0.0 || time <= kLongerInPair * options_.longest_whole;
    return has_time && chosen_[which] + 1.0 <= most_[which] && taken_[which] < waiting_[which].size();
  }

  const CandidatePair& pair_;
  const PolicyOptions& options_;
  std::array<double, 2> all_ = {};     // works, with those that ended since nothing ran
  std::array<double, 2> begun_ = {};   // of these, with those that shall begin
  std::array<double, 2> chosen_ = {};  // works that run or shall run
  std::array<double, 2> most_ = {kNoLimit, kNoLimit};
  std::array<std::vector<const Candidate*>, 2> waiting_;
  std::array<std::size_t, 2> taken_ = {};  // number of waiting works that were taken
  std::vector<Share> shares_;
};

// Plans that no work begins until all running works have ended.
Plan let_end(const QueueView& view) {
  Plan plan = unchanged(view, 1.0, "works in streams end before another way begins");
  plan.is_trial = true;
  plan.ahead.emplace();
  return plan;
}

// Plans for a kernel that is left alone after works in many streams.
std::optional<Plan> goes_on_in_many(const std::vector<const Candidate*>& running, const QueueView& view,
                                    const PolicyOptions& options) {
  const bool is_alone =
      std::ranges::all_of(view.works, [&](const Candidate& work) { return work.kernel == view.works.front().kernel; });
  if (running.size() < 3 || !is_alone) return {};
  Plan plan = unchanged(view, 1.0, running.front()->traits->name + " alone, in many streams");
  plan.ahead.emplace();
  for (const Candidate& work : view.works)
    if (!work.running && plan.ahead->size() < options.most_streams)
      (plan.shares.size() < options.most_streams ? plan.shares : *plan.ahead).push_back(whole_share(work));
  return plan;
}

// Returns the best way for all remaining work. If that way does not make up for its restarts, returns the best way in
// many streams, which needs no restarts.
std::optional<PairForecast> best_way_of(CandidatePair pair, const QueueView& view, const PairTable& table,
                                        const PolicyOptions& options) {
  std::optional<PairForecast> way = best_way(pair, view, table, options);
  if (!way || way->many_streams) return way;
  pair.forecast = *way;
  if (saves_time(pair, view, table, options)) return way;
  auto many = best_in_many_streams(pair.first->kernel, pair.second->kernel, table);
  const bool gains = many && many->speedup() >= 1.0 + options.least_gain && may_run(pair, *many, view, options);
  return gains ? many : way;
}

// Returns the forecast of the way in which the works run now, if this way is about as good as `best`; nullopt
// otherwise.
std::optional<PairForecast> way_that_runs(const CandidatePair& pair, const PairForecast& best,
                                          const std::vector<const Candidate*>& running, const QueueView& view,
                                          const PairTable& table) {
  const Remainder left = remainder_of(pair, view, table);
  std::optional<std::size_t> urgent;
  for (const Candidate* const work : running)
    if (work->running->priority > 0) urgent = work->kernel == pair.first->kernel ? 0 : 1;
  const auto way =
      table.find(pair.first->kernel, pair.second->kernel, {.whole = true, .urgent = urgent, .many_streams = true}, {});
  if (!way || way->measured == 0) return {};
  PairForecast now = in_proportion(*way, left);
  if (cost_of(now, left, {}, {}) > kCloseToBest * cost_of(best, left, {}, {})) return {};
  return now;
}

}  // namespace

Plan in_many_streams(const CandidatePair& pair, const QueueView& view, const PolicyOptions& options) {
  const auto running = running_works(view);
  const bool keeps_priorities = std::ranges::all_of(running, [&](const Candidate* work) {
    const std::size_t which = work->kernel == pair.first->kernel ? 0 : 1;
    return is_whole_on_all_sms(work) && (work->running->priority > 0) == (pair.forecast.urgent == which);
  });
  // A trial begins when nothing runs; otherwise works from before would count in it.
  const bool has_begun = !view.ended_in_many_streams.empty();
  if (!keeps_priorities || (pair.is_trial && !running.empty() && !has_begun)) return let_end(view);
  Plan plan{.pair = PlannedPair{pair.first->kernel, pair.forecast.shape()},
            .is_trial = pair.is_trial,
            .speedup = pair.forecast.speedup(),
            .reason = describe(pair)};
  Selection(pair, view, options).fill(plan);
  return plan;
}

std::optional<Plan> many_streams_plan(const QueueView& view, const PairTable& table, const PolicyOptions& options) {
  const auto running = running_works(view);
  if (!std::ranges::all_of(running, is_whole_on_all_sms)) return {};
  const auto two = only_two(view, options);
  if (!two) return goes_on_in_many(running, view, options);
  // The pair is planned as if none of its works ran, because the new works follow those that run.
  Candidate first = *(*two)[0];
  Candidate second = *(*two)[1];
  first.running.reset();
  second.running.reset();
  const auto forecast = forecast_now(view, table, first.kernel, second.kernel);
  if (!forecast) return {};
  CandidatePair pair{&first, &second, *forecast};
  std::optional<PairForecast> way = next_trial(pair, view, table, options);
  pair.is_trial = way.has_value();
  if (!way) way = best_way_of(pair, view, table, options);
  if (way && !pair.is_trial && are_many(running) && !way->many_streams)
    if (auto now = way_that_runs(pair, *way, running, view, table)) way = std::move(now);
  if (!way || !way->many_streams) return are_many(running) ? std::optional(let_end(view)) : std::nullopt;
  pair.forecast = *std::move(way);
  return in_many_streams(pair, view, options);
}

}  // namespace wattune::schedule
