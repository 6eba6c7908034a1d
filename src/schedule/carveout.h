// Carve-out: how much of each multiprocessor's memory shall be shared memory while twins run.
//
// An SM changes it only when nothing runs there, so that twins which want it differently would not run side by side:
// all launches of a plan want the same. It is what their resident blocks need and no more, since kernels that wait for
// memory miss it in their caches: a larger one slowed dependent reads by 34 % on an H200 (docs/results/corun.md).
// Pure functions.
//
//   const Residents both[] = {{fma_traits, 3}, {copy_traits, 5}};
//   launch.shared_bytes = shared_bytes_of(limits, both);
#pragma once

#include <cstdint>
#include <span>

#include "wattune/schedule/machine.h"

namespace wattune::schedule {

// Blocks of a kernel on each SM.
struct Residents {
  const KernelTraits* kernel = nullptr;
  unsigned blocks = 0;
};

// Blocks of slices, of which so many are in flight; no more than an SM holds of the kernel alone.
Residents sliced_residents(const MachineLimits& limits, const KernelTraits& kernel, std::uint64_t blocks_in_flight);

// Of an SM, with what the driver keeps for each block. 0: they need none, or the device is unknown.
std::uint64_t shared_bytes_of(const MachineLimits& limits, std::span<const Residents> together);

// Whether an SM is divided alike for both numbers of bytes.
bool is_same_carveout(const MachineLimits& limits, std::uint64_t first, std::uint64_t second);

}  // namespace wattune::schedule
