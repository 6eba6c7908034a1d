// Gate: how slow the first launches of a configuration may be before it cannot be as fast as the incumbent.
//
// Learned from configurations that were measured whatever they showed, each of which says two things. How much longer
// its first launch took than its median, for the device had idled; and the ratio of its first warm sample to its
// median. If configurations are exchangeable, the next one exceeds the k-th smallest of m such values with probability
// (m + 1 - k) / (m + 1) at most (Vovk et al., Algorithmic Learning in a Random World, section 2.2), whatever their
// distribution. Source of the bound that docs/measure.md derives.
#pragma once

#include <cstddef>
#include <vector>

#include "wattune/core/observation.h"

namespace wattune::measure {

class Gate {
 public:
  // `first`: of the launch after the idle gap; `warm`: of the first sample; `median`: of further samples.
  void learn(Nanoseconds first, Nanoseconds warm, Nanoseconds median);

  // Enough was learned to reject anything.
  bool ready() const;
  // The longest first launch, and warm sample, of a configuration that is as fast as the incumbent. Precondition:
  // ready().
  Nanoseconds first_limit(const Statistics& incumbent) const;
  Nanoseconds warm_limit(const Statistics& incumbent) const;

 private:
  struct Lesson {
    Nanoseconds excess;  // of the first launch over the median
    Nanoseconds median;
    double ratio = 1.0;  // of the first warm sample to the median
  };
  std::vector<Lesson> lessons_;  // the last kRemembered, oldest overwritten first
  std::size_t learned_ = 0;
};

}  // namespace wattune::measure
