// The choice of clocks at which a policy plans, if kernels have profiles at clocks (KernelTraits::at_clocks).
//
// Clocks are held for a second once they are set, and most kernels that run meanwhile may be short. The choice must
// therefore suit all of these kernels, and not only the first one.
#pragma once

#include <functional>
#include <optional>

#include "schedule/interface/policy.h"

namespace wattune::inline v0_1::schedule {

// Returns the clocks that must be held, if any. Otherwise returns the clocks at which the works that suit them best
// cost least. It considers as many works as run during a hold, each alone or beside its best partner, in relation to
// the cost of each alone at its best clocks. Clocks other than those that are held must be better by the margin.
// Returns nullopt if nobody may set clocks, or if a kernel has no profile.
std::optional<backend::BoardSetting> clocks_to_plan_at(const QueueView& view, const PairTable& table,
                                                       const PolicyOptions& options);

// Returns the first work that may go first; there is at least one. While clocks must be held, it is the one that suits
// them best instead, unless the first one runs already.
const Candidate& first_at_clocks(const QueueView& view, const PolicyOptions& options,
                                 const std::function<bool(const Candidate&)>& may_go);

// Returns how good it is to run this kernel alone at these clocks: 1 is the best, 0 if limits forbid it. A kernel
// without a profile gets 1, unless its best clocks are others.
double merit_alone(const KernelTraits& kernel, const backend::BoardSetting& clocks, const Objective& objective);

}  // namespace wattune::schedule
