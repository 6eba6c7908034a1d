// LoadLog: the batches of a load in the order of time, and how many launches lie between two moments.
#pragma once

#include <vector>

#include "wattune/power/energy.h"

namespace wattune::power {

class LoadLog {
 public:
  void add(const Load::Batch& batch) { batches_.push_back(batch); }
  bool empty() const { return batches_.empty(); }

  // Of the last batch, for one launch. Precondition: there is one.
  Nanoseconds launch_time() const;
  std::size_t last_launches() const { return batches_.back().launches; }
  // Those of a batch that an end lies in count by its share of the batch's time.
  double launches(Nanoseconds begin, Nanoseconds end) const;
  // How long batches were under way.
  Nanoseconds busy(Nanoseconds begin, Nanoseconds end) const;

 private:
  std::vector<Load::Batch> batches_;
};

}  // namespace wattune::power
