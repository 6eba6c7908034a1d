// The default policy: two kernels share every SM in the ratio that is expected to be best, or split the SMs where that
// is expected to be better, for as long as nothing better can be had.
#include <fmt/format.h>

#include <algorithm>

#include "schedule/shares.h"

namespace wattune::schedule {

namespace {

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

CandidatePair best_pair(const QueueView& view, const PairTable& table, const PolicyOptions& options) {
  const auto works = distinct_works(view, options);
  const int highest = highest_urgency(view, options);
  const bool something_runs = !running_works(view).empty();
  CandidatePair best;
  double best_score = 0.0;
  for (std::size_t i = 0; i < works.size(); ++i)
    for (std::size_t j = i + 1; j < works.size(); ++j) {
      if (std::max(urgency(*works[i], view, options), urgency(*works[j], view, options)) < highest) continue;
      const auto forecast = table.find(works[i]->kernel, works[j]->kernel);
      const auto merit = forecast ? schedule::merit(options.objective, *forecast) : std::nullopt;
      if (!merit || *merit < 1.0 + options.least_gain) continue;
      const double score = *merit / (something_runs ? handicap(*works[i], *works[j], options) : 1.0) /
                           clock_handicap(*forecast, view.clocks, options);
      if (score > best_score) {
        best = {works[i], works[j], *forecast};
        best_score = score;
      }
    }
  return best;
}

// What runs goes on, unless something more urgent waits.
const Candidate& next_alone(const QueueView& view, const PolicyOptions& options) {
  const int highest = highest_urgency(view, options);
  return *std::ranges::find_if(view.works,
                               [&](const Candidate& work) { return urgency(work, view, options) == highest; });
}

bool is_whole(const Candidate* work) { return work->running->form == Form::whole; }

Plan alone(const Candidate& work, const QueueView& view, const PolicyOptions& options) {
  const bool is_short = work.traits->alone.value() > 0.0 && work.traits->alone * work.left <= options.longest_whole;
  const bool keeps_whole = work.running && work.running->form == Form::whole;
  const bool runs_whole = keeps_whole || is_short || !can_share(*work.traits);
  const unsigned resident = std::max(1U, work.traits->profile.blocks_alone);
  return {.shares = {runs_whole ? whole_share(work) : shared_share(work, resident, view, options)},
          .clocks = work.traits->best_clocks,
          .reason = fmt::format("{} alone, as no pair is expected to gain {:.0f} %", work.traits->name,
                                100.0 * options.least_gain)};
}

}  // namespace

Plan paired_plan(const QueueView& view, const PairTable& table, const PolicyOptions& options) {
  if (view.works.empty()) return {};
  const auto running = running_works(view);
  if (std::ranges::any_of(running, is_whole)) return unchanged(view, 1.0, "what runs whole runs to its end");
  const CandidatePair best = best_pair(view, table, options);
  if (best.first == nullptr) return alone(next_alone(view, options), view, options);
  return {.shares = persistent_shares(best, view, options),
          .clocks = best.forecast.clocks,
          .speedup = best.forecast.speedup(),
          .reason = describe(best)};
}

}  // namespace wattune::schedule
