// In which way two kernels had better run together, and what that saves: of `paired`.
#pragma once

#include <array>
#include <optional>

#include "schedule/shares.h"

namespace wattune::schedule {

// What the host takes to see that blocks have ended and to launch others.
inline constexpr Nanoseconds kSwitching{100e3};

// What stopping a kernel and starting it anew takes: its blocks end, of which half of the time is lost, as they did not
// begin together; then the host sees it and launches.
Nanoseconds switching_time(const KernelTraits& kernel, const MachineLimits& limits);

// How many times PolicyOptions::longest_whole what runs whole may take where that is better than its twin.
inline constexpr double kLongerWhole = 5.0;

// How a kernel runs alone by its persistent twin.
struct Residency {
  unsigned per_sm = 1;
  double speed = 1.0;  // over that of the kernel itself
};

// Some kernels are faster with fewer blocks on each SM, whose data then stay in its cache. That must be more than
// noise, since at a lower clock fewer blocks do not keep the memory busy that do so at a higher one, and more than what
// is gained where all blocks fill the SMs that those before leave.
Residency best_residency(const KernelTraits& kernel);

// By how much later so much of a kernel, alone, ends if it stays in this share, of each SM or of so many SMs, than if
// it had begun as it is best alone.
Nanoseconds lost_by_going_on(const KernelTraits& kernel, Nanoseconds left, unsigned per_sm, unsigned sms,
                             const MachineLimits& limits);

// Over one after the other, each as it is best alone. What that costs in joules is not known.
bool gains(double merit, const PairForecast& forecast, const std::array<const KernelTraits*, 2>& kernels,
           const PolicyOptions& options);

// Nothing stops what runs whole, so that arrivals wait for it.
bool is_too_long(const CandidatePair& pair, const PairForecast& way, const PolicyOptions& options);

// Of the ways in which the pair gains that with which all that is left of the two ends best. What runs keeps its share,
// unless another is better by more than starting it anew costs, and by more than forecasts are off.
std::optional<PairForecast> best_way(const CandidatePair& pair, const QueueView& view, const PairTable& table,
                                     const PolicyOptions& options);

// Whether the two gain over one after the other while both run, with what is lost by starting kernels anew: also
// what goes on when the other has ended, unless it loses less in its share. What runs in a share would be started anew
// as well to run alone. Those that both run need not gain more than nothing.
bool saves_time(const CandidatePair& pair, const QueueView& view, const PolicyOptions& options);

// Whether all that is left of the two, of which the first runs whole, ends sooner if nobody joins it until it ends, and
// the two then run in another way or one after the other. What that costs in joules is not known.
bool had_better_part(const CandidatePair& pair, const QueueView& view, const PairTable& table,
                     const PolicyOptions& options);

inline bool both_run(const CandidatePair& pair) { return pair.first->running && pair.second->running; }

// As it is best alone, among others of its kind, over that of the kernel itself.
double speed_alone(const KernelTraits& kernel);

}  // namespace wattune::schedule
