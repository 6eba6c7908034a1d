// What policies build their plans of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wattune/schedule/policy.h"
#include "wattune/schedule/profit_table.h"

namespace wattune::schedule {

Share whole_share(const Candidate& work, const SmRange& sms = {});
// The SMs that this range leaves on the larger side.
SmRange rest_of(const SmRange& taken, unsigned sms);
// This many blocks on each SM, in windows of slices that are as large as they must be.
Share slices_share(const Candidate& work, unsigned per_sm, const QueueView& view, const PolicyOptions& options);
// Persistent blocks, or slices where the kernel has no persistent twin. Precondition: can_share().
Share shared_share(const Candidate& work, unsigned per_sm, const QueueView& view, const PolicyOptions& options);
inline bool can_share(const KernelTraits& kernel) { return kernel.persistent || kernel.sliceable; }
// Twins that divide their SMs' memory with another; those on SMs of their own have all of it.
inline bool shares_sms(const Share& share) { return share.form != Form::whole && share.sms.count == 0; }
// But for shared_bytes, which policies leave to the scheduler.
bool is_same_share(Share one, const Share& other);

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
// By how much a pair must be better than one for the clocks that are held: switching costs as much as stopping a kernel
// does. What clocks that must be held do not allow comes behind all that they do.
double clock_handicap(const PairForecast& forecast, const ClockView& clocks, const PolicyOptions& options);
// Of the two at the clocks that must be held, if there is a way for these; else the best.
std::optional<PairForecast> forecast_now(const QueueView& view, const PairTable& table, KernelId first,
                                         KernelId second);
// As it is forecast: both on every SM, or persistent or whole on SMs of their own. Precondition: can_share(), and for
// the latter both have persistent twins.
std::vector<Share> shares_of(const CandidatePair& pair, const QueueView& view, const PolicyOptions& options);
// "fma with copy, 2:6 blocks on each SM, 1.74 times as fast as one after the other".
std::string describe(const CandidatePair& pair);

// What Kernelet and Jiao et al. build of slices, whose sizes stay until one of the two finishes.
bool runs_sliced_pair(const QueueView& view);
// The first work of each kernel that can be cut.
std::vector<const Candidate*> sliceable_kernels(const QueueView& view);
Plan slices_of(const CandidatePair& pair, const QueueView& view, const PolicyOptions& options);
// In slices that an arrival need not wait long for; whole where it cannot be cut.
Plan oldest_in_slices(const QueueView& view, const PolicyOptions& options);

Plan fifo_plan(const QueueView& view);
Plan streams_plan(const QueueView& view, const PolicyOptions& options, bool with_priorities);
Plan split_plan(const QueueView& view, const PairTable& table, const PolicyOptions& options);
Plan orion_plan(const QueueView& view);
Plan kernelet_plan(const QueueView& view, const PairTable& table, const PolicyOptions& options);
// `profits` are those of the works that it saw last.
Plan greedy_plan(const QueueView& view, const PairTable& table, const PolicyOptions& options, ProfitTable& profits);
Plan random_plan(const QueueView& view, const PolicyOptions& options);
Plan paired_plan(const QueueView& view, const PairTable& table, const PolicyOptions& options);

}  // namespace wattune::schedule
