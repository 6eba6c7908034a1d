// The choice of the clocks for a plan, if kernels have profiles at several clocks (KernelTraits::at_clocks).
// Clocks are held for a second once they are set, and most kernels that run meanwhile may be short. The choice must
// therefore suit all of these kernels, and not only the first one.
#pragma once

#include <functional>
#include <optional>

#include "schedule/interface/policy.h"

namespace wattune::inline v0_1::schedule {

// Returns the clocks to plan for: the clocks that must be held, if there are any. Otherwise these are the clocks with
// the least cost of the works that suit them best, for as many works as run while clocks are held.
//
// A work counts alone or beside its best partner, and its cost is relative to its cost alone at its best clocks. The
// present clocks are kept unless others are better by PolicyOptions::margin. Returns nullopt if nobody may set clocks,
// or if a kernel has no profile.
std::optional<backend::BoardSetting> clocks_to_plan_at(const QueueView& view, const PairTable& table,
                                                       const PolicyOptions& options);

// Returns the first work for which `may_go` is true; there is at least one. While clocks must be held, returns the work
// that suits them best instead, unless the first one runs already.
const Candidate& first_at_clocks(const QueueView& view, const PolicyOptions& options,
                                 const std::function<bool(const Candidate&)>& may_go);

// Returns how good these clocks are for the kernel alone: 1 at its best clocks, 0 if limits forbid them. A kernel
// without a profile gets 1, but 0 if other clocks are known to be best.
double merit_alone(const KernelTraits& kernel, const backend::BoardSetting& clocks, const Objective& objective);

}  // namespace wattune::schedule
