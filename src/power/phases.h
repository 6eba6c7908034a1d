// Phases: when batches begin, so that a sensor which sees a part of its period only sees all parts of a launch.
//
// Batches begin at each sixteenth of the sensor's period after the first. In whichever order costs least idle time: the
// next is the one that comes soonest after a batch.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "wattune/power/energy.h"

namespace wattune::power {

inline constexpr std::size_t kPhases = 16;

class Phases {
 public:
  Phases(Nanoseconds period, Nanoseconds origin) : period_(period), origin_(origin), batches_(kPhases) {}

  // How long to wait from now on for the phase that comes soonest of those that are left. Precondition: one is left.
  Nanoseconds wait(Nanoseconds now);
  // The batch that began at that phase.
  void add(const Load::Batch& batch) { batches_[next_] = batch; }

  // Half of the 95 % interval of the mean power, as a share of it, from how the batches' powers differ from one phase
  // to the next. Precondition: each phase has its batch.
  double bound(const Trace<Watts>& power) const;

 private:
  const Nanoseconds period_;
  const Nanoseconds origin_;
  std::vector<std::optional<Load::Batch>> batches_;  // by phase
  std::size_t next_ = 0;
};

}  // namespace wattune::power
