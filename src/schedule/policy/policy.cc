#include "schedule/interface/policy.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "core/interface/suggest.h"
#include "schedule/policy/clock_choice.h"
#include "schedule/policy/shares.h"

namespace wattune::inline v0_1::schedule {

namespace {

using Planner = std::function<Plan(const QueueView&, const PairTable&, const PolicyOptions&)>;

struct NamedPolicy {
  PolicyTraits traits;
  Planner plan;
};

// The greedy policy with its state. It keeps the profits of the works that it saw last, and only updates them.
class GreedyPlanner {
 public:
  Plan operator()(const QueueView& view, const PairTable& table, const PolicyOptions& options) {
    if (!profits_) profits_.emplace(options.objective);
    return greedy_plan(view, table, options, *profits_);
  }

 private:
  std::optional<ProfitTable> profits_;
};

// Plans with the clocks that are best for all waiting works as if these clocks had to be held. Plans without clocks if
// kernels have no profiles at clocks.
Plan plan_at_clocks(const Planner& plan, const QueueView& view, const PairTable& table, const PolicyOptions& options) {
  const auto clocks = clocks_to_plan_at(view, table, options);
  if (!clocks) return plan(view, table, options);
  QueueView there = view;
  there.clocks.held = clocks;
  there.clocks.may_change = false;
  Plan planned = plan(there, table, options);
  if (planned.clocks) planned.clocks = clocks;
  return planned;
}

const std::vector<NamedPolicy>& named_policies() {
  static const std::vector<NamedPolicy> all = {
      {{"paired",
        "pairs that gain share every SM in the best ratio or split the SMs, planned anew on arrivals and ends",
        ForecastKind::best_ratio, Form::persistent, true},
       paired_plan_beside_urgent},
      {{"kernelet", "the paper's: greedy pairs of slices, fixed until one of the two ends",
        ForecastKind::balanced_ratio, Form::slices},
       kernelet_plan},
      {{"greedy", "the pair of slices that gains most, fixed until one of the two ends (Jiao et al.)",
        ForecastKind::best_ratio, Form::slices, true},
       GreedyPlanner()},
      {{"random", "random pairs of slices at random ratios"},
       [](const QueueView& view, const PairTable&, const PolicyOptions& options) {
         return random_plan(view, options);
       }},
      {{"split", "two kernels on SMs of their own, at the best split (green contexts)", ForecastKind::split},
       split_plan},
      {{"orion", "whole kernels, one that waits for memory beside one that computes"},
       [](const QueueView& view, const PairTable&, const PolicyOptions&) { return orion_plan(view); }},
      {{"priority", "whole kernels in streams with the priorities of the works"},
       [](const QueueView& view, const PairTable&, const PolicyOptions& options) {
         return streams_plan(view, options, true);
       }},
      {{"streams", "whole kernels in streams (the paper's consolidation, its base)"},
       [](const QueueView& view, const PairTable&, const PolicyOptions& options) {
         return streams_plan(view, options, false);
       }},
      {{"fifo", "whole kernels, one after the other"},
       [](const QueueView& view, const PairTable&, const PolicyOptions&) { return fifo_plan(view); }},
  };
  return all;
}

}  // namespace

const std::vector<PolicyTraits>& policies() {
  static const std::vector<PolicyTraits> all = [] {
    std::vector<PolicyTraits> traits;
    for (const NamedPolicy& policy : named_policies()) traits.push_back(policy.traits);
    return traits;
  }();
  return all;
}

Result<Policy> find_policy(std::string_view name, const PolicyOptions& options) {
  const auto found =
      std::ranges::find(named_policies(), name, [](const NamedPolicy& policy) { return policy.traits.name; });
  if (found == named_policies().end()) {
    std::vector<std::string> names;
    for (const PolicyTraits& policy : policies()) names.emplace_back(policy.name);
    return Error(ErrorCode::not_found, "no such policy").about(std::string(name)).hint(suggest(name, names));
  }
  return Policy([plan = found->plan, options](const QueueView& view, const PairTable& table) {
    return plan_at_clocks(plan, view, table, options);
  });
}

}  // namespace wattune::schedule
