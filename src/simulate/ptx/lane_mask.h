// LaneMask is a set of lanes of a warp.
#pragma once

#include <bit>
#include <cstdint>

namespace wattune::inline v0_1::simulate::ptx {

// Bit i stands for lane i.
using LaneMask = std::uint32_t;
constexpr unsigned kLanes = 32;
constexpr LaneMask kAllLanes = 0xffff'ffff;

inline LaneMask bit(unsigned lane) { return LaneMask{1} << lane; }

// Calls `visit` with each lane, the lowest first.
template <class Visit>
void for_lanes(LaneMask lanes, Visit visit) {
  if (lanes == kAllLanes) {
    for (unsigned lane = 0; lane < kLanes; ++lane) visit(lane);
    return;
  }
  for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<unsigned>(std::countr_zero(lanes)));
}

inline unsigned first_lane(LaneMask lanes) { return static_cast<unsigned>(std::countr_zero(lanes)); }

}  // namespace wattune::simulate::ptx
