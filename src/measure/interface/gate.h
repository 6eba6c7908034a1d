// Gate: bounds on the times of a configuration's first launches. A configuration above them is unlikely to be as fast
// as the incumbent.
//
// It learns from configurations that were measured completely, whatever their first launches showed. Each such
// configuration is a lesson of two values. One is by how much its first launch is longer than its median, because of
// the idle gap before. The other is the ratio of its first warm sample to its median.
//
// Let configurations be exchangeable. Then the next one exceeds the k-th smallest of m such values with probability (m
// + 1 - k) / (m + 1) at most, whatever their distribution. Source: Vovk et al., Algorithmic Learning in a Random World,
// section 2.2. docs/measure.md derives the bound from this.
#pragma once

#include <cstddef>
#include <vector>

#include "wattune/core/observation.h"

namespace wattune::inline v0_1::measure {

// The bounds that were learned so far. One thread at a time uses a gate.
class Gate {
 public:
  // Takes the times of a launch after an idle gap (`first`), of the first warm sample (`warm`), and the median of
  // further samples.
  void learn(Nanoseconds first, Nanoseconds warm, Nanoseconds median);

  // True if enough was learned to reject anything.
  bool ready() const;
  // Returns the longest time that a first launch of a configuration as fast as the incumbent may take. Precondition:
  // ready().
  Nanoseconds first_limit(const Statistics& incumbent) const;
  Nanoseconds warm_limit(const Statistics& incumbent) const;

 private:
  // The two values that the gate learns from one configuration.
  struct Lesson {
    Nanoseconds excess;  // first launch minus median
    Nanoseconds median;
    double ratio = 1.0;  // first warm sample, divided by the median
  };
  std::vector<Lesson> lessons_;  // the last kRememberedLessons; the oldest is overwritten first
  std::size_t learned_ = 0;
};

}  // namespace wattune::measure
