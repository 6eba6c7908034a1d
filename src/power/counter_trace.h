// CounterTrace holds the publications of an energy counter in the order of time, with their running sum.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "wattune/power/energy.h"

namespace wattune::inline v0_1::power {

// A publication, and the joules counted since the first one.
struct Publication {
  Measured<Nanoseconds> at;
  Joules counted;
};

class CounterTrace {
 public:
  // Collects the changes until the first publication at or after `to`, each moved back by the counter's lag. Fails with
  // unavailable if the counter was reset.
  static Result<CounterTrace> of(const Trace<Joules>& counter, Nanoseconds to, std::optional<Joules> wraps_at);

  const std::vector<Publication>& publications() const { return publications_; }
  // Returns the joules at a moment. Fails with unavailable if it is before the first publication or after the last.
  Result<Measured<Joules>> at(Nanoseconds moment) const;

 private:
  // Returns the mean power of the interval from publication i to the next.
  Watts mean(std::size_t i) const;

  std::vector<Publication> publications_;
};

}  // namespace wattune::power
