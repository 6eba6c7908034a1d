// Profiles of kernels from runs alone on any machine: the speed with fewer resident blocks and on fewer SMs, and the
// smallest slice that is worth a launch.
//
// The caller owns the machine, which runs nothing else meanwhile. One thread at a time calls the functions.
//
//   WATTUNE_ASSIGN(const auto fma, schedule::profile(machine, fma_id));
//   const auto known = machine.add(kernel, fma);
#pragma once

#include <cstddef>

#include "wattune/core/result.h"
#include "wattune/schedule/machine.h"

namespace wattune::inline v0_1::schedule {

struct ProfileOptions {
  std::size_t rounds = 3;          // number of runs for each figure; the median counts
  bool residency = true;           // true to run the kernel's persistent twin with fewer blocks
  bool ranges = true;              // true to run the kernel on fewer SMs
  bool slices = true;              // true to find the least slice
  double slicing_overhead = 0.02;  // largest share of time that slicing may cost (p of Kernelet, section 4.2)
  double twin_overhead = 0.10;     // largest cost of the twin alone, as a share of time; a slower twin counts as none
};

// Returns the median time of the whole grid alone; one more run before it serves as a warm-up. Fails with not_found if
// there is no such kernel.
Result<Nanoseconds> time_alone(Machine& machine, KernelId kernel, std::size_t rounds = 3);

// Returns the kernel's traits with measured values in place of the machine's: `alone`, `overlapped_speed`, `twin_speed`
// and `rate_at_residency` (with a persistent twin), `speed_on_sms` and `saturating_share` (if the machine has ranges of
// SMs), `least_slice` (if the kernel can be cut). `persistent` becomes false if the twin costs too much. Utilisation
// and the profile of its warps stay as they are, since they do not follow from times. Fails with not_found if there is
// no such kernel.
Result<KernelTraits> profile(Machine& machine, KernelId kernel, const ProfileOptions& options = {});

}  // namespace wattune::schedule
