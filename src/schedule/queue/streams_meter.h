// StreamsMeter measures two kernels of which several works each run at once, in many streams.
//
// No work has a speed of its own in many streams, since its blocks wait for those of other works. So the works that end
// within some time are counted. A value; one thread at a time uses it.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "wattune/schedule/forecast.h"
#include "wattune/schedule/work.h"

namespace wattune::inline v0_1::schedule {

class StreamsMeter {
 public:
  // Begins to measure while no work runs. `shape` is that of the two kernels in this order.
  StreamsMeter(const std::array<KernelId, 2>& kernels, const PairShape& shape) : kernels_(kernels), shape_(shape) {}

  const std::array<KernelId, 2>& kernels() const { return kernels_; }
  const PairShape& shape() const { return shape_; }

  // Counts a work that has ended. Precondition: its kernel is one of the two.
  void add(KernelId kernel, Nanoseconds alone, Nanoseconds begin, Nanoseconds end);
  // Returns the number of works of each kernel that ended since the last restart.
  std::array<std::size_t, 2> works() const;
  // Returns the number of works of each kernel that ended since nothing ran.
  std::array<std::size_t, 2> all_works() const;
  // Returns the speed of each kernel: how long the measured part of its works takes alone, divided by how long it took
  // in many streams. `first_that_runs` is the begin of the first work that has not ended; nullopt if none runs any
  // more. Returns nullopt if too few works ended, or none of one kernel.
  std::optional<std::array<double, 2>> speeds(std::optional<Nanoseconds> first_that_runs) const;
  // Begins anew while works run.
  void restart();

 private:
  struct EndedWork {
    std::size_t which = 0;  // which of the two kernels
    Nanoseconds alone;
    Nanoseconds begin;
    Nanoseconds end;
  };
  std::array<Nanoseconds, 2> alone_of_all() const;
  std::optional<Nanoseconds> first_moment() const;
  double speedup_between(Nanoseconds from, Nanoseconds to) const;
  double speedup_of_all(Nanoseconds alone) const;

  std::array<KernelId, 2> kernels_;
  PairShape shape_;
  std::vector<EndedWork> ended_;                    // since the last restart
  std::array<std::size_t, 2> before_restart_ = {};  // works that ended
  Nanoseconds first_begin_ = kForever;
  Nanoseconds last_end_ = {};
  Nanoseconds restart_ = {};  // the last end before it
  bool is_restarted_ = false;
};

}  // namespace wattune::schedule
