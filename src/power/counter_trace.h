// CounterTrace: the publications of an energy counter in the order of time, with what they add up to.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "wattune/power/integrate.h"

namespace wattune::power {

// A publication, and the joules counted since the first one.
struct Publication {
  Measured<Nanoseconds> at;
  Joules counted;
};

class CounterTrace {
 public:
  // The changes until the first publication at or after `to`, each moved back by the counter's lag. unavailable: it was
  // reset.
  static Result<CounterTrace> of(const Trace<Joules>& counter, Nanoseconds to, std::optional<Joules> wraps_at);

  const std::vector<Publication>& publications() const { return publications_; }
  // Joules at any moment between the first publication and the last. unavailable: it lies before or behind them.
  Result<Measured<Joules>> at(Nanoseconds moment) const;

 private:
  // Of the interval from publication i to the next; 0 W where there is none.
  Watts mean(std::size_t i) const;

  std::vector<Publication> publications_;
};

}  // namespace wattune::power
