#include "schedule/machine/end_watch.h"

#include <algorithm>

namespace wattune::inline v0_1::schedule {

namespace {

// Returns the speed with the launch's blocks on its SMs, divided by the speed with all blocks on all SMs.
double speed_alone(const KernelTraits& kernel, const Launch& launch, const MachineLimits& limits) {
  const bool is_slower =
      launch.form == Form::persistent && launch.per_sm > 0 && launch.per_sm <= kernel.rate_at_residency.size();
  const double by_blocks = is_slower ? kernel.rate_at_residency[launch.per_sm - 1] : 1.0;
  if (launch.sms.count == 0 || !(kernel.saturating_share > 0.0)) return by_blocks;
  return by_blocks * std::min(1.0, launch.sms.count / (limits.sms * kernel.saturating_share));
}

}  // namespace

EndWatch::ShareKey EndWatch::share_of(const Launch& launch) {
  return {launch.kernel, launch.form, launch.per_sm, launch.sms.count};
}

Nanoseconds EndWatch::expected(const KernelTraits& kernel, const Launch& launch, const MachineLimits& limits) const {
  const auto blocks = static_cast<double>(launch.blocks);
  if (const auto known = block_times_.find(share_of(launch)); known != block_times_.end())
    return known->second * blocks;
  const double speed = speed_alone(kernel, launch, limits);
  return speed > 0.0 ? kernel.alone.value_or(Nanoseconds()) * (blocks / static_cast<double>(kernel.blocks)) / speed
                     : Nanoseconds();
}

void EndWatch::learn(const Launch& launch, Nanoseconds took, std::uint64_t blocks) {
  if (blocks > 0) block_times_[share_of(launch)] = took / static_cast<double>(blocks);
}

// Checks without a pause in a window that is longer than about 60 us, because a sleep lasts about so much longer than
// requested.
Nanoseconds EndWatch::pause(Nanoseconds ran, Nanoseconds expected) {
  constexpr Nanoseconds kLeastCheckWindow{100e3};  // least time on either side of the expected end
  constexpr Nanoseconds kMostCheckWindow{500e3};
  constexpr Nanoseconds kLongestPauseBetweenChecks{200e3};
  const Nanoseconds window = std::clamp(expected / 20.0, kLeastCheckWindow, kMostCheckWindow);
  if (ran < expected - window) return std::min(expected - window - ran, kLongestPauseBetweenChecks);
  if (ran <= expected + window) return Nanoseconds();
  return std::min((ran - expected) / 8.0, kLongestPauseBetweenChecks);
}

}  // namespace wattune::schedule
