// Mean power of a machine's board: while nothing runs, while each of its kernels runs alone, and while two run
// together.
//
// The caller owns the machine, which runs nothing else meanwhile. One thread at a time calls the functions.
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

// Measures the power of all kernels, in their order. A kernel whose traits have its power already is not measured
// again. Each kernel runs whole, again and again, for two windows. Only the second one is measured, because the board's
// counter lags behind. Before the first kernel, nothing runs for two windows, so that the idle power is measured in the
// same way. A persistent twin that is faster than its kernel by 2 % is measured like a kernel.
//
// Boards update their counters every 100 ms, so the mean power is taken from the counter's first change in a window to
// its last. A change is seen only at the end of a launch, and the error is as small as this delay allows. Fails with
// invalid_argument if a kernel's time alone is unknown, with unavailable if the board reports no energy, and with the
// first error of a launch.
Result<std::vector<PowerTraits>> profile_power(Machine& machine, Nanoseconds window);

// Measures the power of each pair that is forecast to gain for the objective. The pair runs in its best way for
// `window` without being measured, and then for another `window` that is measured. The table corrects the pair's power
// by the result. Two kernels may draw more than their powers and speeds alone suggest; otherwise a queue finds this out
// only while it runs. Fails with the first error of a launch, and with cancelled between pairs.
Result<void> measure_pair_power(Machine& machine, Nanoseconds window, const Objective& objective, PairTable& table,
                                const std::atomic<bool>* cancel = nullptr);

}  // namespace wattune::schedule
