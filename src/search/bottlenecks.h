// Bottlenecks: what holds a kernel up, and which counters should change to relieve it.
//
// The expert system of Filipovic, Hozzova, Nezarat, Olha, Petrovic: Using hardware performance counters to speed up
// autotuning convergence on GPUs, JPDC 160, 2022 (arXiv 2102.05297), in the form that KTT 2.2 has. With u for
// utilisations, r and w for reads and writes, and q for the reaction,
//
//   memory         b_read = u r / (r + w), b_write = u w / (r + w), for each of DRAM, second-level cache, shared
//   memory;
//                  b = u for the loads through the first level; local memory has its share of the busiest level
//   instructions   b_t = (share of type t among the instructions) * instruction utilisation; above q it counts as
//                  (b_t - q) / (1 - q)
//   issue          (1 - issue utilisation) * (largest share of a type - q) / (1 - q): latency holds up what one type of
//                  instructions dominates
//   parallelism    1 - multiprocessor activity
//
// An amount should fall as much as it is a bottleneck, a utilisation that is low rise as much as it lacks. Two
// differences to KTT: the shares are of all instructions of threads, where KTT divides by slots that divergence
// enlarges twice; and nothing is said of too few threads for the device, whose cores a strategy does not know.
#pragma once

#include <array>

#include "search/counters.h"

namespace wattune::search {

// By counter, from -1 (should fall) to 1 (should rise); 0 where nothing is wrong or nothing was counted.
using Changes = std::array<double, counter_count>;

// `reaction`: the utilisation, in [0, 1), from which on instructions are a bottleneck.
Changes desired_changes(const Counters& counters, double reaction);

}  // namespace wattune::search
