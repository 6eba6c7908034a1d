// EndWatch: when to look whether a launch has ended. A value.
//
// Looking costs a core, and not looking delays whoever comes next. So a launch is looked at without a pause around the
// moment at which it is expected to end, and seldom else; the later it ends, the longer the pauses get.
//
//   const Nanoseconds expected = watch.expected(traits, launch, limits);
//   while (!has_ended()) sleep(EndWatch::pause(now() - begin, expected));
//   watch.learn(launch, end - begin, blocks);
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "wattune/schedule/machine.h"

namespace wattune::schedule {

class EndWatch {
 public:
  // How long the launch will take: for each block as long as the last one of its kernel in the same share did, since
  // who runs beside it is mostly the same; else as long as alone. 0: nothing is known.
  Nanoseconds expected(const KernelTraits& kernel, const Launch& launch, const MachineLimits& limits) const;
  void learn(const Launch& launch, Nanoseconds took, std::uint64_t blocks);

  // How long to sleep before the next look at what has run for so long; 0: look again at once.
  static Nanoseconds pause(Nanoseconds ran, Nanoseconds expected);

 private:
  using ShareKey = std::tuple<KernelId, Form, unsigned, unsigned>;  // kernel, form, blocks on each SM, SMs
  static ShareKey share_of(const Launch& launch);

  std::map<ShareKey, Nanoseconds> block_times_;
};

}  // namespace wattune::schedule
