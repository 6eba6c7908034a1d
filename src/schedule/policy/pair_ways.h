// The choice of the way in which two kernels run together, and what it saves, for the policy `paired`.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "schedule/policy/shares.h"

namespace wattune::inline v0_1::schedule {

// The time that the host takes to see that blocks have ended and to launch others.
inline constexpr Nanoseconds kSwitchDelay{100e3};

// Returns how long the rest of a work takes alone; none if that is unknown.
Nanoseconds time_left(const Candidate& work);

// Returns the time that stopping a kernel and restarting it takes. Half of the time of its last blocks is lost, as they
// did not begin together; then the host sees their end and launches.
Nanoseconds switching_time(const KernelTraits& kernel, const MachineLimits& limits);

// The factor by which a whole kernel may take longer than PolicyOptions::longest_whole if it is better than its twin.
inline constexpr double kLongerWhole = 5.0;

// The factor by which whole works of two kernels may take longer than PolicyOptions::longest_whole while no other
// kernel waits: each one, and in many streams the works of each kernel that are in flight.
inline constexpr double kLongerInPair = 50.0;

// Returns the longest time that a whole work of this kernel may take beside another while no other kernel waits: three
// times its time alone, within the bounds of the two factors above. Urgent arrivals wait for none.
Nanoseconds longest_in_pair(const KernelTraits& kernel, const PolicyOptions& options);

// The way in which a kernel runs alone by its persistent twin.
struct Residency {
  unsigned per_sm = 1;
  double speed = 1.0;  // divided by the speed of the kernel
};

// Returns the best number of resident blocks alone. Some kernels are faster with fewer blocks on each SM, whose data
// then stay in its cache. The gain must exceed noise, since fewer blocks may keep the memory busy at a higher clock but
// not at a lower one. It must also exceed the gain of launches whose blocks fill the SMs that previous ones leave.
Residency best_residency(const KernelTraits& kernel);

// Returns how much later a kernel with this time left ends if it stays in this share of each SM, or of this many SMs.
// The comparison is with the kernel in its best way alone.
Nanoseconds lost_by_going_on(const KernelTraits& kernel, Nanoseconds left, unsigned per_sm, unsigned sms,
                             const MachineLimits& limits);

// Returns the fastest way of the two in many streams that was measured; nullopt if none was.
std::optional<PairForecast> best_in_many_streams(KernelId first, KernelId second, const PairTable& table);

// Tells whether the pair gains over one after the other, each in its best way alone. The energy of that way is unknown,
// so only times are compared with it. If the pair ran in many streams, these are the alternative. They fill the SMs
// that last blocks leave as works alone do, and their speed was measured, so that the pair need only gain over plain
// turns.
bool gains(double merit, const PairForecast& forecast, const std::array<const KernelTraits*, 2>& kernels,
           const PolicyOptions& options, bool ran_in_many_streams);

// True if arrivals would wait too long for one of the two, since nothing stops whole kernels, or if one would exceed
// its limit. Urgent arrivals wait for none.
bool is_too_long(const CandidatePair& pair, const PairForecast& way, const PolicyOptions& options);

// Returns how many works of a kernel are left, waiting and running ones, with their parts that are left.
double works_left(KernelId kernel, const QueueView& view);

// The remaining work of two kernels, which run together until one has nothing left.
struct Remainder {
  std::array<Nanoseconds, 2> alone;      // solo times of their remaining works
  std::array<double, 2> speeds_without;  // speeds of the rest after the other kernel

  // Returns the time until nothing is left if the two run one after the other.
  Nanoseconds in_turn() const { return alone[0] / speeds_without[0] + alone[1] / speeds_without[1]; }
};
Remainder remainder_of(const CandidatePair& pair, const QueueView& view, const PairTable& table);

// Returns a way in many streams with the speeds at which both kernels end together, since the works of both are chosen
// so. The sum of both speeds stays. Returns other ways as they are.
PairForecast in_proportion(PairForecast way, const Remainder& left);

// Returns the time, energy or their product until neither has anything left, by the objective; `lost` is time before.
double cost_of(const PairForecast& way, const Remainder& left, Nanoseconds lost, const Objective& objective);

// True if the pair may run in this way. Whole kernels may only if no work of another kernel waits, which might suit one
// of the two better later. If works may be urgent, nothing but whole kernels may. Many streams are for throughput
// alone, and for works of one urgency without limits.
bool may_run(const CandidatePair& pair, const PairForecast& way, const QueueView& view, const PolicyOptions& options);

// True if only trials run in this way (way_choice.h): nothing stops whole kernels, and they have not run so.
inline bool is_for_trials(const PairForecast& way) { return way.whole && way.measured == 0; }

// Returns the way, among those in which the pair gains, with which all that is left of the two ends best. Running works
// keep their shares, unless another way is better by more than restarting costs, and by more than the error of
// forecasts.
std::optional<PairForecast> best_way(const CandidatePair& pair, const QueueView& view, const PairTable& table,
                                     const PolicyOptions& options);

// Tells whether the two gain over one after the other while both run, including the time that restarts lose. The kernel
// that is left at the end is restarted as well, unless it loses less in its share. A work that runs in a share would
// also be restarted to run alone. If both run already, any gain suffices. If the pair ran in many streams, it must be
// faster than there.
bool saves_time(const CandidatePair& pair, const QueueView& view, const PairTable& table, const PolicyOptions& options);

// True if all that is left of the two ends sooner if the second one waits until the first, which runs whole, has ended.
// They then run in another way or one after the other. The energy of that is not known, so it is false unless the goal
// is throughput.
bool had_better_part(const CandidatePair& pair, const QueueView& view, const PairTable& table,
                     const PolicyOptions& options);

inline bool both_run(const CandidatePair& pair) { return pair.first->running && pair.second->running; }

// Returns the best speed of a kernel alone, among other works of its kind, divided by the speed of a single launch.
double speed_alone(const KernelTraits& kernel);

}  // namespace wattune::schedule
