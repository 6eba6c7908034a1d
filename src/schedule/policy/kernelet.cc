// The schedules of Zhong and He, "Kernelet", with the errors of the paper corrected (docs/schedule.md): the greedy one,
// and random ones for comparison.
#include <algorithm>
#include <vector>

#include "schedule/policy/shares.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::schedule {

namespace {

// Returns the pairs that remain after pruning by utilisation (section 4.3). If a kernel's utilisation is unknown, all
// of its pairs remain.
std::vector<model::Pair> kept_pairs(const std::vector<const Candidate*>& works, const PolicyOptions& options) {
  std::vector<model::Utilisation> utilisations;
  std::vector<std::size_t> known;  // places of the works whose utilisation is known
  std::vector<model::Pair> kept;
  for (std::size_t i = 0; i < works.size(); ++i) {
    const auto& utilisation = works[i]->traits->utilisation;
    if (utilisation) {
      known.push_back(i);
      utilisations.push_back(*utilisation);
    }
    for (std::size_t j = 0; j < i; ++j)
      if (!utilisation || !works[j]->traits->utilisation) kept.emplace_back(j, i);
  }
  for (const auto& [i, j] : model::promising_pairs(utilisations, options.pruning))
    kept.emplace_back(known[i], known[j]);
  std::ranges::sort(kept);
  return kept;
}

}  // namespace

Plan kernelet_plan(const QueueView& view, const PairTable& table, const PolicyOptions& options) {
  if (runs_sliced_pair(view)) return unchanged(view, 1.0, "the pair runs until one of the two has no slice left");
  const auto works = sliceable_kernels(view);
  CandidatePair best;
  for (const auto& [i, j] : kept_pairs(works, options)) {
    const auto forecast = table.find(works[i]->kernel, works[j]->kernel);
    if (forecast && forecast->speedup() > std::max(1.0, best.forecast.speedup()))
      best = {works[i], works[j], *forecast};
  }
  return best.first == nullptr ? oldest_in_slices(view, options) : slices_of(best, view, options);
}

// Plans a random pair at a random ratio (MC of the Kernelet paper). The draw depends only on the waiting works and the
// seed.
Plan random_plan(const QueueView& view, const PolicyOptions& options) {
  if (runs_sliced_pair(view)) return unchanged(view, 1.0, "the pair runs until one of the two has no slice left");
  const auto works = sliceable_kernels(view);
  if (works.size() < 2) return oldest_in_slices(view, options);
  Random random(options.seed * 1000003 + works.front()->work + works.back()->work);
  const std::size_t first = random.below(works.size());
  const std::size_t second = (first + 1 + random.below(works.size() - 1)) % works.size();
  const CandidatePair pair{works[first], works[second], {}};
  const auto ratios = model::feasible_ratios(view.limits.capability.value_or(model::ComputeCapability{}),
                                             pair.first->traits->block, pair.second->traits->block);
  if (!ratios || ratios->empty()) return oldest_in_slices(view, options);
  const PairForecast drawn{.ratio = (*ratios)[random.below(ratios->size())]};
  Plan plan = slices_of({pair.first, pair.second, drawn}, view, options);
  plan.reason = "drawn by lot";
  return plan;
}

}  // namespace wattune::schedule
