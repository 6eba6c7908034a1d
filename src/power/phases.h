// Phases: when batches begin, so that a sensor which sees a part of its period only sees all parts of a launch.
//
// Batches begin at each sixteenth of the sensor's period after the first; where a launch is so short that the sensor
// sees more than two at once, at each sixteenth of a launch, which costs less. The order is the one that costs least
// idle time: the next batch is the one that comes soonest after the last.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "wattune/power/energy.h"

namespace wattune::power {

inline constexpr std::size_t kPhases = 16;

class Phases {
 public:
  // Sixteenths of `span`, the period itself or a launch, which is counted from the beginning of each period.
  Phases(Nanoseconds period, Nanoseconds span, Nanoseconds origin)
      : period_(period), span_(span), origin_(origin), batches_(kPhases) {}

  // How long to wait from now on for the phase that comes soonest of those that are left. Precondition: one is left.
  Nanoseconds wait(Nanoseconds now);
  // The batch that began at that phase.
  void add(const Load::Batch& batch) { batches_[next_] = batch; }

  // Half of the 95 % interval of the mean power, as a share of it, from how the batches' powers, of which `mean` tells
  // that of a time, differ from one phase to the next.
  double bound(const std::function<Result<Watts>(Nanoseconds begin, Nanoseconds end)>& mean) const;

 private:
  const Nanoseconds period_;
  const Nanoseconds span_;
  const Nanoseconds origin_;
  std::vector<std::optional<Load::Batch>> batches_;  // by phase
  std::size_t next_ = 0;
};

}  // namespace wattune::power
