// Carve-out: the part of each multiprocessor's memory that is shared memory while twins run.
//
// An SM changes it only when nothing runs there, so twins with different wishes would not run side by side. All
// launches of a plan therefore ask for the same carve-out. It is just as large as their resident blocks need, since
// kernels that wait for memory need the rest as cache. A larger carve-out slowed dependent reads by 34 % on an H200
// (docs/results/corun.md). Pure functions.
//
//   const Residents both[] = {{fma_traits, 3}, {copy_traits, 5}};
//   launch.shared_bytes = shared_bytes_of(limits, both);
#pragma once

#include <cstdint>
#include <span>

#include "wattune/schedule/machine.h"

namespace wattune::inline v0_1::schedule {

// A number of blocks of a kernel on each SM.
struct Residents {
  const KernelTraits* kernel = nullptr;
  unsigned blocks = 0;
};

// Returns the blocks on each SM if slices have this many blocks in flight, but no more than an SM holds of the kernel
// alone.
Residents sliced_residents(const MachineLimits& limits, const KernelTraits& kernel, std::uint64_t blocks_in_flight);

// Returns the bytes of shared memory that the blocks need on an SM, including those that the driver takes for each
// block. Returns 0 if they need none, or if the device is unknown.
std::uint64_t shared_bytes_of(const MachineLimits& limits, std::span<const Residents> together);

// Tells whether an SM divides its memory in the same way for both numbers of bytes.
bool is_same_carveout(const MachineLimits& limits, std::uint64_t first, std::uint64_t second);

}  // namespace wattune::schedule
