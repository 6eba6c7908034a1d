// PlacementWatch: notices pairs whose blocks lie unevenly on the SMs.
//
// A launch that begins while blocks of another one leave gets more of its blocks onto the SMs that were free first. The
// launches after it fit into the gaps, so that both kernels stay slower than they could be until they begin anew
// together. Nobody says where blocks lie, but speeds tell: the pair is slower than it was before in the same shape.
#pragma once

#include <array>
#include <map>
#include <tuple>

#include "schedule/work_queue.h"

namespace wattune::schedule {

class PlacementWatch {
 public:
  // A launch of this kernel ran at this speed, over that alone, beside that one. Whether the two had better begin anew:
  // the last launches were slower than earlier ones. Where that does not help it is advised ever more seldom.
  bool advises_new_start(KernelId kernel, const Beside& beside, double rate);

 private:
  // Of a pair in one shape. Speeds are sums of both kernels' rates.
  struct Pace {
    std::array<double, 2> rates = {};  // of the last launches since both began
    double last = 0.0;
    double usual = 0.0;  // the best that was reached twice in a row
    unsigned slow = 0;   // launches in a row
    unsigned patience;   // with so many of them
  };
  using Key = std::tuple<KernelId, KernelId, unsigned, unsigned>;  // kernels and their blocks on each SM

  std::map<Key, Pace> paces_;
};

}  // namespace wattune::schedule
