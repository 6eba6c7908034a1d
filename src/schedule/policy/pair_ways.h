// The choice of the way in which two kernels run together, and what it saves, for the policy `paired`.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "schedule/policy/shares.h"

namespace wattune::inline v0_1::schedule {

// The time that the host takes to see that blocks have ended and to launch others.
inline constexpr Nanoseconds kSwitchDelay{100e3};

// Returns the time that the rest of a work takes alone; 0 if its time alone is unknown.
Nanoseconds time_left(const Candidate& work);

// Returns the time that is lost by stopping a kernel and restarting it. Half of the time of its last blocks is lost, as
// they did not begin together. Then the host takes some time to see their end and to launch.
Nanoseconds switching_time(const KernelTraits& kernel, const MachineLimits& limits);

// The factor by which a whole kernel may take longer than PolicyOptions::longest_whole if it is better than its twin.
inline constexpr double kLongerWhole = 5.0;

// The factor by which a whole work in a pair may take longer than PolicyOptions::longest_whole while no other kernel
// waits. In many streams it bounds the time of all works of a kernel that are in flight together.
inline constexpr double kLongerInPair = 50.0;

// Returns the longest time that a whole work of this kernel may take beside another while no other kernel waits: three
// times its time alone, within the bounds of the two factors above. If works may be urgent, there is no bound, because
// urgent arrivals never wait.
Nanoseconds longest_in_pair(const KernelTraits& kernel, const PolicyOptions& options);

// The way in which a kernel runs alone as its persistent twin.
struct Residency {
  unsigned per_sm = 1;
  double speed = 1.0;  // speed of the twin, divided by the speed of the kernel
};

// Returns the best number of resident blocks alone. Some kernels are faster with fewer blocks on each SM, whose data
// then stay in its cache. The gain must exceed noise, since fewer blocks may keep the memory busy at a higher clock but
// not at a lower one. It must also exceed the gain that whole launches have if the next one's blocks fill the SMs that
// the last blocks leave idle.
Residency best_residency(const KernelTraits& kernel);

// Returns how much later a kernel with this time left ends if it keeps its share: `per_sm` blocks on each SM, or `sms`
// SMs. The comparison is with the kernel in its best way alone.
Nanoseconds lost_by_going_on(const KernelTraits& kernel, Nanoseconds left, unsigned per_sm, unsigned sms,
                             const MachineLimits& limits);

// Returns the fastest way of the two in many streams that was measured; nullopt if none was.
std::optional<PairForecast> best_in_many_streams(KernelId first, KernelId second, const PairTable& table);

// Tells whether a pair with this merit gains enough to run together. For throughput it must also be faster than its
// kernels one after the other, each in its best way alone, unless the pair also ran in many streams.
//
// Many streams fill the SMs that last blocks leave idle, as the best ways alone do. So after a run in many streams its
// measured speed is the alternative to compare with.
bool gains(double merit, const PairForecast& forecast, const std::array<const KernelTraits*, 2>& kernels,
           const PolicyOptions& options, bool ran_in_many_streams);

// True if arrivals would wait too long for one of the two, since whole kernels cannot be stopped, or if one would
// exceed its limit. Urgent arrivals never wait for other kernels, so they do not count.
bool is_too_long(const CandidatePair& pair, const PairForecast& way, const PolicyOptions& options);

// Returns the number of works of a kernel that are left, waiting and running. Running works count with the part that is
// left of them.
double works_left(KernelId kernel, const QueueView& view);

// The remaining work of two kernels, which run together until one of them is done.
struct Remainder {
  std::array<Nanoseconds, 2> alone;      // solo times of their remaining works
  std::array<double, 2> speeds_without;  // speed of each kernel's rest after the other kernel has ended

  // Returns the time until the remaining works of both kernels have ended, if one kernel runs after the other.
  Nanoseconds in_turn() const { return alone[0] / speeds_without[0] + alone[1] / speeds_without[1]; }
};
Remainder remainder_of(const CandidatePair& pair, const QueueView& view, const PairTable& table);

// Changes the speeds of a way in many streams to those at which both kernels end together, since the works of both are
// chosen for that. The sum of both speeds stays the same. Returns other ways unchanged.
PairForecast in_proportion(PairForecast way, const Remainder& left);

// Returns, depending on the objective, the time, the energy or their product until both are done. `lost` is time that
// passes before the two run together.
double cost_of(const PairForecast& way, const Remainder& left, Nanoseconds lost, const Objective& objective);

// True if the pair may run in this way. Whole kernels may run only if no work of another kernel waits, since that
// kernel might later suit one of the two better. If works may be urgent, only whole kernels may run. Many streams are
// allowed only for throughput without limits, and for works of the same urgency.
bool may_run(const CandidatePair& pair, const PairForecast& way, const QueueView& view, const PolicyOptions& options);

// True if only trials run in this way (way_choice.h): it has whole kernels, which cannot be stopped, and has not been
// measured.
inline bool is_for_trials(const PairForecast& way) { return way.whole && way.measured == 0; }

// Returns the best way for the remaining work of the two, among the ways in which the pair gains. Running works keep
// their shares, unless another way is better by more than restarting costs and by more than the error of forecasts.
std::optional<PairForecast> best_way(const CandidatePair& pair, const QueueView& view, const PairTable& table,
                                     const PolicyOptions& options);

// Tells whether the two gain over one after the other while both run, including the time that restarts lose. The kernel
// that is left at the end is restarted as well, unless it loses less by staying in its share. A work that already runs
// in a share would also have to be restarted to run alone. If both run already, any gain suffices. If the pair ran in
// many streams before, it must be faster than in these.
bool saves_time(const CandidatePair& pair, const QueueView& view, const PairTable& table, const PolicyOptions& options);

// True if the remaining work of the two ends sooner if the second kernel waits until the first, which runs whole, has
// ended. After that the two run in another way, or one after the other. The energy of this is not known, so the result
// is false unless the goal is throughput.
bool had_better_part(const CandidatePair& pair, const QueueView& view, const PairTable& table,
                     const PolicyOptions& options);

inline bool both_run(const CandidatePair& pair) { return pair.first->running && pair.second->running; }

// Returns the best speed of a kernel alone, among other works of its kind, divided by the speed of a single launch.
double speed_alone(const KernelTraits& kernel);

}  // namespace wattune::schedule
