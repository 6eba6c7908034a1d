// Mean power of a machine's board: while nothing runs, while each of its kernels runs alone, and while two run
// together.
//
// The caller owns the machine, which runs nothing else meanwhile; one thread at a time.
//
//   WATTUNE_ASSIGN(const auto powers, schedule::profile_power(machine, nanoseconds_from_seconds(3)));
//   traits.power = powers[fma];
#pragma once

#include <atomic>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/schedule/forecast.h"
#include "wattune/schedule/machine.h"
#include "wattune/schedule/pair_table.h"

namespace wattune::inline v0_1::schedule {

// Measures the power of all kernels, in their order; a kernel whose traits have it already is not measured again. Each
// kernel runs whole, again and again, for `window` without being measured, since counters lag behind, and for another
// `window` that is measured. Before them nothing runs for two windows, in the same way. A persistent twin that is
// faster than its kernel by 2 % is measured like a kernel.
// Boards update their counters every 100 ms, so the mean is that from the first change to the last. In a window of 1 s
// the error is as small as the delay until a change is seen, at the end of a launch.
// Fails with invalid_argument if a kernel's time alone is unknown, with unavailable if the board reports no energy, and
// with the first error of a launch.
Result<std::vector<PowerTraits>> profile_power(Machine& machine, Nanoseconds window);

// Measures each pair that is forecast to gain for the objective: it runs in its best way for `window` without being
// measured, and once more for the mean. The table corrects the power of the pair by that. Two kernels may draw more
// than their powers and speeds alone suggest; otherwise a queue finds this out only while it runs. Fails with the first
// error of a launch, and with cancelled between pairs.
Result<void> measure_pair_power(Machine& machine, Nanoseconds window, const Objective& objective, PairTable& table,
                                const std::atomic<bool>* cancel = nullptr);

}  // namespace wattune::schedule
