// Phases schedules the starts of batches, so that a sensor that sees only a part of its period sees all parts of a
// launch.
//
// A phase is a sixteenth of the sensor's period, counted from the first batch; one batch begins at each phase. If a
// launch is so short that a reading averages more than two launches, phases are sixteenths of a launch, because this
// takes less time. The next batch is always the one whose phase comes soonest, so that the board idles as little as
// possible.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "wattune/power/energy.h"

namespace wattune::inline v0_1::power {

inline constexpr std::size_t kPhases = 16;

class Phases {
 public:
  // Divides `span` into sixteen phases. The span is the period itself, or the time of a launch, counted from the
  // beginning of each period.
  Phases(Nanoseconds period, Nanoseconds span, Nanoseconds origin)
      : period_(period), span_(span), origin_(origin), batches_(kPhases) {}

  // Returns the time until the next of the remaining phases. Precondition: a phase remains.
  Nanoseconds wait(Nanoseconds now);
  // Stores the batch that began at the phase of the last wait().
  void add(const Load::Batch& batch) { batches_[next_] = batch; }

  // Returns the end of the last batch. Precondition: there is a batch.
  Nanoseconds end() const;

  // Returns the batches by phase; nullopt at a phase at which none began.
  const std::vector<std::optional<Load::Batch>>& batches() const { return batches_; }
  // Returns the time that the phases divide.
  Nanoseconds span() const { return span_; }

 private:
  const Nanoseconds period_;
  const Nanoseconds span_;
  const Nanoseconds origin_;
  std::vector<std::optional<Load::Batch>> batches_;  // batches by phase
  std::size_t next_ = 0;
};

}  // namespace wattune::power
