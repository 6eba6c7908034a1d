// PlacementWatch: notices pairs whose blocks came to lie unevenly on the SMs.
//
// A launch that begins while blocks of another one leave gets more of its blocks onto the SMs that were free first. The
// launches after it fit into the gaps, so that both kernels stay slower than they could be until they begin anew
// together. Nobody says where blocks lie, but speeds tell: the pair is slower than it was before in the same shape.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <tuple>

#include "schedule/work_queue.h"

namespace wattune::schedule {

class PlacementWatch {
 public:
  // A launch of this kernel ran for so long beside that one, at this speed, over that alone. Whether the two had better
  // begin anew. Where that does not help, since clocks fell for instance, their speed counts as usual from then on, and
  // it is advised ever more seldom.
  bool advises_new_start(KernelId kernel, const Beside& beside, Nanoseconds time, double rate);

 private:
  // Launches of one kernel of a pair.
  struct Launches {
    unsigned count = 0;
    double time = 0.0;
    double work = 0.0;  // the time that it takes alone
  };
  // Of a pair in one shape. A speed is the sum of both kernels' rates over a window of launches.
  struct Pace {
    std::array<Launches, 2> window = {};
    double last = 0.0;
    double usual = 0.0;     // the best that was reached in two windows, one after the other
    unsigned slow = 0;      // windows, one after the other
    unsigned patience = 2;  // with so many of them
    bool was_anew = false;  // before this window
  };
  using Key = std::tuple<KernelId, KernelId, unsigned, unsigned>;  // kernels and their blocks on each SM

  static bool advises_new_start(Pace& pace, double speed);

  std::map<Key, Pace> paces_;
};

}  // namespace wattune::schedule
