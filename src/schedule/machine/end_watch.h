// EndWatch: decides when to check whether a launch has ended. A value.
//
// Checking costs a core, and not checking delays the next launch. So a launch is checked without a pause around the
// moment at which its end is expected, and seldom at other times. The later a launch ends, the longer the pauses get.
//
//   const Nanoseconds expected = watch.expected(traits, launch, limits);
//   while (!has_ended()) sleep(EndWatch::pause(now() - begin, expected));
//   watch.learn(launch, end - begin, blocks);
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "wattune/schedule/machine.h"

namespace wattune::inline v0_1::schedule {

class EndWatch {
 public:
  // Returns how long the launch will take; 0 if nothing is known. Each block counts with the time that it took in the
  // last launch of its kernel in the same share, whose partner was mostly the same. Without such a launch it counts
  // with its time alone.
  Nanoseconds expected(const KernelTraits& kernel, const Launch& launch, const MachineLimits& limits) const;
  // Notes the time that a launch with this many blocks took.
  void learn(const Launch& launch, Nanoseconds took, std::uint64_t blocks);

  // Returns how long to sleep before the next check of a launch that has run for the time `ran`; 0 to check again at
  // once.
  static Nanoseconds pause(Nanoseconds ran, Nanoseconds expected);

 private:
  using ShareKey = std::tuple<KernelId, Form, unsigned, unsigned>;  // kernel, form, blocks on each SM, number of SMs
  static ShareKey share_of(const Launch& launch);

  std::map<ShareKey, Nanoseconds> block_times_;
};

}  // namespace wattune::schedule
