// What runs alone say of a kernel on any machine: its speed with fewer resident blocks and on fewer SMs, and the least
// slice that is worth a launch.
//
// The caller owns the machine, which runs nothing else meanwhile; one thread at a time.
//
//   WATTUNE_ASSIGN(const auto fma, schedule::profile(machine, fma_id));
//   const auto known = machine.add(kernel, fma);
#pragma once

#include <cstddef>

#include "wattune/core/result.h"
#include "wattune/schedule/machine.h"

namespace wattune::schedule {

struct ProfileOptions {
  std::size_t rounds = 3;          // of each run, whose median counts
  bool residency = true;           // whether to run its persistent twin with fewer blocks
  bool ranges = true;              // whether to run it on fewer SMs
  bool slices = true;              // whether to find the least slice
  double slicing_overhead = 0.02;  // that the least slice may cost; p of Kernelet (section 4.2)
  double twin_overhead = 0.10;     // that its persistent twin may cost alone; else it counts as having none
};

// What its grid takes by itself, whole; the first of two runs more warms it up. not_found: no such kernel.
Result<Nanoseconds> time_alone(Machine& machine, KernelId kernel, std::size_t rounds = 3);

// The kernel's traits with what is measured in the place of what the machine said: `alone`, `overlapped_speed`,
// `rate_at_residency` (where it has a persistent twin), `saturating_share` (where the machine has ranges of SMs),
// `least_slice` (where it can be cut), and no `persistent` where the twin costs too much. Utilisation and the profile
// of its warps stay, since no time tells them. not_found: no such kernel.
Result<KernelTraits> profile(Machine& machine, KernelId kernel, const ProfileOptions& options = {});

}  // namespace wattune::schedule
