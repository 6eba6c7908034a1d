// At which clocks a policy plans, where kernels have profiles at clocks (KernelTraits::at_clocks).
//
// What is set is held for a second, in which most of what runs may be short, so that it must suit all that will run
// meanwhile, and not what runs first.
#pragma once

#include <functional>
#include <optional>

#include "wattune/schedule/policy.h"

namespace wattune::schedule {

// While clocks must be held, these. Else those at which the works that suit them best, as many as run meanwhile, cost
// the least of what each costs alone at its best, each alone or beside its best partner; another than those that are
// held only where that is better by the margin. None: nobody may set clocks, or a kernel has no profile at any.
std::optional<backend::BoardSetting> clocks_to_plan_at(const QueueView& view, const PairTable& table,
                                                       const PolicyOptions& options);

// The first of those that may go first, of which there is one; while clocks must be held, of those that suit them best,
// unless it runs already.
const Candidate& first_at_clocks(const QueueView& view, const PolicyOptions& options,
                                 const std::function<bool(const Candidate&)>& may_go);

// How good it is to run this one alone at these clocks: 1 is the best. 0 where limits forbid it; 1 where it has no
// profile and no other best clocks.
double merit_alone(const KernelTraits& kernel, const backend::BoardSetting& clocks, const Objective& objective);

}  // namespace wattune::schedule
