// Bottlenecks: the resources that limit a kernel's speed, and the hardware counters that should change to relieve them.
//
// The rules are those of the expert system of Filipovic, Hozzova, Nezarat, Olha, Petrovic: Using hardware performance
// counters to speed up autotuning convergence on GPUs, JPDC 160, 2022 (arXiv 2102.05297). Their form is that of KTT
// 2.2. With u for utilisations, r and w for reads and writes, and q for the reaction,
//
//   memory         b_read = u r / (r + w), b_write = u w / (r + w), for each of DRAM, second-level cache and
//                  shared memory;
//                  b = u for the loads through the first level; local memory has its share of the busiest level
//   instructions   b_t = (share of type t among the instructions) * instruction utilisation; above q it counts as
//                  (b_t - q) / (1 - q)
//   issue          (1 - issue utilisation) * (largest share of a type - q) / (1 - q): latency holds up what one type of
//                  instructions dominates
//   parallelism    1 - multiprocessor activity
//
// A counter of an amount should fall in proportion to its bottleneck b. A low utilisation should rise in proportion to
// the part that is unused. There are two differences to KTT. Shares are shares of all instructions of threads, while
// KTT divides by issue slots, which count divergence twice. Too few threads for the device do not count as a bottleneck
// here, because a strategy does not know the device's cores.
#pragma once

#include <array>

#include "search/models/counters.h"

namespace wattune::inline v0_1::search {

// The change of each counter, from -1 (should fall) to 1 (should rise); 0 if it should stay or was not counted.
using Changes = std::array<double, counter_count>;

// Returns the desired changes. `reaction` is the utilisation, in [0, 1), from which on instructions are a bottleneck.
Changes desired_changes(const Counters& counters, double reaction);

}  // namespace wattune::search
