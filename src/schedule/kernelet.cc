// The schedules of Zhong and He, "Kernelet", with the errors of the paper corrected (docs/schedule.md): its greedy one,
// and random ones, with which it is compared.
#include <algorithm>

#include "schedule/shares.h"
#include "wattune/core/random.h"

namespace wattune::schedule {

namespace {

constexpr unsigned kWavesAlone = 4;  // a slice of a kernel that runs alone, so that an arrival need not wait for all

// Sizes stay fixed until one of the two finishes.
bool runs_as_pair(const QueueView& view) {
  const auto running = running_works(view);
  return running.size() == 2 && running[0]->running->form == Form::slices &&
         running[1]->running->form == Form::slices && running[0]->left > 0.0 && running[1]->left > 0.0;
}

std::vector<const Candidate*> sliceable_kernels(const QueueView& view) {
  std::vector<const Candidate*> works = first_of_each_kernel(view);
  std::erase_if(works, [](const Candidate* work) { return !work->traits->sliceable; });
  return works;
}

Plan slices_of(const CandidatePair& pair, const QueueView& view, const PolicyOptions& options) {
  return {.shares = {slices_share(*pair.first, pair.forecast.ratio.first, view, options),
                     slices_share(*pair.second, pair.forecast.ratio.second, view, options)},
          .speedup = pair.forecast.speedup(),
          .reason = describe(pair)};
}

Plan oldest_alone(const QueueView& view, const PolicyOptions& options) {
  if (view.works.empty()) return {};
  const Candidate& oldest = view.works.front();
  const unsigned resident = std::max(1U, oldest.traits->profile.blocks_alone);
  const Share share =
      oldest.traits->sliceable ? slices_share(oldest, kWavesAlone * resident, view, options) : whole_share(oldest);
  return {.shares = {share}, .reason = oldest.traits->name + " alone, as no pair is expected to gain"};
}

// Pairs that pruning by utilisation leaves (section 4.3).
std::vector<model::Pair> kept_pairs(const std::vector<const Candidate*>& works, const PolicyOptions& options) {
  std::vector<model::Utilisation> utilisations;
  utilisations.reserve(works.size());
  for (const Candidate* work : works) utilisations.push_back(work->traits->utilisation);
  return model::promising_pairs(utilisations, options.pruning);
}

}  // namespace

Plan kernelet_plan(const QueueView& view, const PairTable& table, const PolicyOptions& options) {
  if (runs_as_pair(view)) return unchanged(view, 1.0, "the pair runs until one of the two has no slice left");
  const auto works = sliceable_kernels(view);
  CandidatePair best;
  for (const auto& [i, j] : kept_pairs(works, options)) {
    const auto forecast = table.find(works[i]->kernel, works[j]->kernel);
    if (forecast && forecast->speedup() > std::max(1.0, best.forecast.speedup()))
      best = {works[i], works[j], *forecast};
  }
  return best.first == nullptr ? oldest_alone(view, options) : slices_of(best, view, options);
}

// A random pair at a random ratio (the paper's MC). What is drawn depends on the works that wait and the seed alone.
Plan random_plan(const QueueView& view, const PolicyOptions& options) {
  if (runs_as_pair(view)) return unchanged(view, 1.0, "the pair runs until one of the two has no slice left");
  const auto works = sliceable_kernels(view);
  if (works.size() < 2) return oldest_alone(view, options);
  Random random(options.seed * 1000003 + works.front()->work + works.back()->work);
  const std::size_t first = random.below(works.size());
  const std::size_t second = (first + 1 + random.below(works.size() - 1)) % works.size();
  const CandidatePair pair{works[first], works[second], {}};
  const auto ratios =
      model::feasible_ratios(view.limits.capability, pair.first->traits->block, pair.second->traits->block);
  if (!ratios || ratios->empty()) return oldest_alone(view, options);
  const PairForecast drawn{.ratio = (*ratios)[random.below(ratios->size())]};
  Plan plan = slices_of({pair.first, pair.second, drawn}, view, options);
  plan.reason = "drawn by lot";
  return plan;
}

}  // namespace wattune::schedule
