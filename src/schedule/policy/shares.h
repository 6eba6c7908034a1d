// Functions from which policies build their plans.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "schedule/interface/policy.h"
#include "schedule/interface/profit_table.h"

namespace wattune::inline v0_1::schedule {

// Returns the share of a work that runs whole.
Share whole_share(const Candidate& work, const SmRange& sms = {});
// Returns the SMs before this range, or the SMs behind it if it begins at SM 0.
SmRange rest_of(const SmRange& taken, unsigned sms);
// Returns a share with this many blocks on each SM, in windows of slices, each at least as large as the least slice.
Share slices_share(const Candidate& work, unsigned per_sm, const QueueView& view, const PolicyOptions& options);
// Returns a share with persistent blocks, or with slices if the kernel has no persistent twin. Precondition:
// can_share().
Share shared_share(const Candidate& work, unsigned per_sm, const QueueView& view, const PolicyOptions& options);
// Tells whether the kernel can share SMs with another.
inline bool can_share(const KernelTraits& kernel) { return kernel.persistent || kernel.sliceable; }
// True if the share is for twins that divide the memory of their SMs with another kernel. Twins on SMs of their own
// have all of that memory.
inline bool shares_sms(const Share& share) { return share.form != Form::whole && share.sms.count == 0; }
// Compares two shares without shared_bytes, which policies leave to the scheduler.
bool is_same_share(Share one, const Share& other);

// Returns a plan in which all running works continue unchanged.
Plan unchanged(const QueueView& view, double speedup, std::string reason);

// Returns the first work of each kernel that has blocks left. If several works are equal, the one that was submitted
// first runs.
std::vector<const Candidate*> first_of_each_kernel(const QueueView& view);
std::vector<const Candidate*> running_works(const QueueView& view);

// Returns the urgency of a work: its priority, plus one if it has waited for long.
int urgency(const Candidate& work, const QueueView& view, const PolicyOptions& options);
// Returns the first works of the queue's only two kernels. If works of a kernel run, its first work is one of them.
// Returns nullopt if there are other kernels, or if some works are more urgent than others.
std::optional<std::array<const Candidate*, 2>> only_two(const QueueView& view, const PolicyOptions& options);

// Two works with the forecast for their pair.
struct CandidatePair {
  const Candidate* first = nullptr;
  const Candidate* second = nullptr;
  PairForecast forecast = {};
  bool is_trial = false;  // true if they run in this way to be measured
};
// Returns the factor by which a pair for other clocks must be better than a pair for the present ones, because
// switching costs as much as stopping a kernel. While clocks must be held, the factor puts all pairs for other clocks
// behind those for the present ones.
double clock_handicap(const PairForecast& forecast, const ClockView& clocks, const PolicyOptions& options);
// Returns the best way of the two at the clocks that must be held, if there are any; otherwise the best way at any
// clocks.
std::optional<PairForecast> forecast_now(const QueueView& view, const PairTable& table, KernelId first,
                                         KernelId second);
// Returns the shares of a pair in its forecast way: both on every SM, persistent or whole on SMs of their own, or whole
// in streams. Preconditions: can_share() is true for kernels on every SM, and persistent kernels on SMs of their own
// have twins.
std::vector<Share> shares_of(const CandidatePair& pair, const QueueView& view, const PolicyOptions& options);
// Returns a text such as "fma with copy, 2:6 blocks on each SM, 1.74 times as fast as one after the other".
std::string describe(const CandidatePair& pair);

// Tells whether a pair of slices runs, as the policies of Kernelet and of Jiao et al. plan them, and neither has
// finished. The sizes of their slices stay unchanged until then.
bool runs_sliced_pair(const QueueView& view);
// Returns the first work of each kernel that can be cut.
std::vector<const Candidate*> sliceable_kernels(const QueueView& view);
// Returns a plan that runs the pair in slices at its ratio.
Plan slices_of(const CandidatePair& pair, const QueueView& view, const PolicyOptions& options);
// Returns a plan for the oldest work alone: in slices for which an arrival need not wait long, or whole if it cannot be
// cut.
Plan oldest_in_slices(const QueueView& view, const PolicyOptions& options);

Plan fifo_plan(const QueueView& view);
Plan streams_plan(const QueueView& view, const PolicyOptions& options, bool with_priorities);
Plan split_plan(const QueueView& view, const PairTable& table, const PolicyOptions& options);
Plan orion_plan(const QueueView& view);
Plan kernelet_plan(const QueueView& view, const PairTable& table, const PolicyOptions& options);
// Makes a plan of the policy `greedy`. `profits` has the profits of the works that it saw last, and is brought up to
// date.
Plan greedy_plan(const QueueView& view, const PairTable& table, const PolicyOptions& options, ProfitTable& profits);
Plan random_plan(const QueueView& view, const PolicyOptions& options);
Plan paired_plan(const QueueView& view, const PairTable& table, const PolicyOptions& options);
// Plans urgent works (PolicyOptions::urgent_from), which all run. Plans the other works as paired_plan() does without
// urgent ones.
Plan paired_plan_beside_urgent(const QueueView& view, const PairTable& table, const PolicyOptions& options);

}  // namespace wattune::schedule
