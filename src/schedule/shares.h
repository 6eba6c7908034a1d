// What policies build their plans of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wattune/schedule/policy.h"

namespace wattune::schedule {

Share whole_share(const Candidate& work);
// This many blocks on each SM, in windows of slices that are as large as they must be.
Share slices_share(const Candidate& work, unsigned per_sm, const QueueView& view, const PolicyOptions& options);
// Persistent blocks, or slices where the kernel has no persistent twin. Precondition: can_share().
Share shared_share(const Candidate& work, unsigned per_sm, const QueueView& view, const PolicyOptions& options);
inline bool can_share(const KernelTraits& kernel) { return kernel.persistent || kernel.sliceable; }

// What runs and shall go on as it does.
Plan unchanged(const QueueView& view, double speedup, std::string reason);

// The first work of each kernel that has blocks left: which of several equal ones runs is decided by who came first.
std::vector<const Candidate*> first_of_each_kernel(const QueueView& view);
std::vector<const Candidate*> running_works(const QueueView& view);

// Two works with what is forecast of them.
struct CandidatePair {
  const Candidate* first = nullptr;
  const Candidate* second = nullptr;
  PairForecast forecast = {};
};
// "fma with copy, 2:6 blocks on each SM, 1.74 times as fast as one after the other".
std::string describe(const CandidatePair& pair);

Plan fifo_plan(const QueueView& view);
Plan streams_plan(const QueueView& view, const PolicyOptions& options, bool with_priorities);
Plan split_plan(const QueueView& view, const PairTable& table, const PolicyOptions& options);
Plan orion_plan(const QueueView& view);
Plan kernelet_plan(const QueueView& view, const PairTable& table, const PolicyOptions& options);
Plan random_plan(const QueueView& view, const PolicyOptions& options);
Plan paired_plan(const QueueView& view, const PairTable& table, const PolicyOptions& options);

}  // namespace wattune::schedule
