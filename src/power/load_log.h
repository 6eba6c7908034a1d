// LoadLog holds the batches of a load in the order of time and computes how many launches ran between two moments.
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
  // Returns the number of launches in a time. If an end of the time lies within a batch, the batch's launches count in
  // proportion to its part inside the time.
  double launches(Nanoseconds begin, Nanoseconds end) const;
  // Returns how many batches began up to a moment.
  std::size_t begun(Nanoseconds moment) const;
  // Returns the times between two batches, as far as these times lie within a given time.
  struct Gap {
    Nanoseconds begin;
    Nanoseconds end;
  };
  std::vector<Gap> gaps(Nanoseconds begin, Nanoseconds end) const;
  // Returns the standard error of the mean time of a launch within a time, as a share. It follows from the differences
  // between successive batches. Returns 0 if fewer than four batches lie within the time.
  double time_error(Nanoseconds begin, Nanoseconds end) const;
  // Returns the part of a time in which batches were running.
  Nanoseconds busy(Nanoseconds begin, Nanoseconds end) const;

 private:
  std::vector<Load::Batch> batches_;
};

}  // namespace wattune::power
