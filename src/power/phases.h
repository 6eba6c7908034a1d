// Phases schedules the starts of batches, so that a sensor that sees only a part of its period sees all parts of a
// launch.
//
// Batches begin at the sixteenths of the sensor's period after the first one. If a launch is so short that the sensor
// sees more than two at once, they begin at the sixteenths of a launch, which costs less. The next batch is always the
// one whose phase comes soonest, so that the least time is idle.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "wattune/power/energy.h"

namespace wattune::inline v0_1::power {

inline constexpr std::size_t kPhases = 16;

class Phases {
 public:
  // Divides `span` into sixteenths. It is the period itself, or a launch, counted from the beginning of each period.
  Phases(Nanoseconds period, Nanoseconds span, Nanoseconds origin)
      : period_(period), span_(span), origin_(origin), batches_(kPhases) {}

  // Returns the wait from now on to the phase that comes soonest of those that are left. Precondition: one is left.
  Nanoseconds wait(Nanoseconds now);
  // Stores the batch that began at the phase of the last wait().
  void add(const Load::Batch& batch) { batches_[next_] = batch; }

  // Returns half of the 95 % interval of the mean power, as a share of it. It is estimated from the differences of the
  // batches' powers from one phase to the next; `mean` returns the power of a time.
  double bound(const std::function<Result<Watts>(Nanoseconds begin, Nanoseconds end)>& mean) const;

 private:
  const Nanoseconds period_;
  const Nanoseconds span_;
  const Nanoseconds origin_;
  std::vector<std::optional<Load::Batch>> batches_;  // by phase
  std::size_t next_ = 0;
};

}  // namespace wattune::power
