// LoadLog holds the batches of a load in the order of time and counts launches between two moments.
#pragma once

#include <vector>

#include "wattune/power/energy.h"

namespace wattune::inline v0_1::power {

class LoadLog {
 public:
  void add(const Load::Batch& batch) { batches_.push_back(batch); }
  bool empty() const { return batches_.empty(); }

  // Returns the time of one launch in the last batch. Precondition: there is a batch.
  Nanoseconds launch_time() const;
  std::size_t last_launches() const { return batches_.back().launches; }
  // Counts launches. If an end lies within a batch, its launches count by the batch's share of time.
  double launches(Nanoseconds begin, Nanoseconds end) const;
  // Returns for how long batches were under way.
  Nanoseconds busy(Nanoseconds begin, Nanoseconds end) const;

 private:
  std::vector<Load::Batch> batches_;
};

}  // namespace wattune::power
