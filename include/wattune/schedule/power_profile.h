// What a machine's board draws while nothing runs, while each of its kernels runs alone, and while two run together.
//
// The caller owns the machine, which runs nothing else meanwhile; one thread at a time.
//
//   WATTUNE_ASSIGN(const auto powers, schedule::profile_power(machine, nanoseconds_from_seconds(3)));
//   traits.power = powers[fma];
#pragma once

#include <atomic>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/schedule/machine.h"
#include "wattune/schedule/objective.h"
#include "wattune/schedule/pair_table.h"

namespace wattune::schedule {

// Of all kernels, in their order; what traits have of a kernel's power is not measured again. Each runs whole, again
// and again, once for `window` unseen, since counters tell of the time before, and once for the mean; before them
// nothing runs for as long, twice. Counters of boards are renewed each 100 ms, so that the mean is that from the first
// change to the last: of a window of 1 s the error is as small as what passes until a change is seen, the end of a
// launch. invalid_argument: a kernel whose time alone is unknown; unavailable: the board tells no energy; the first
// error of a launch.
// A persistent twin that is faster than its kernel by 2 % runs as long as well.
Result<std::vector<PowerTraits>> profile_power(Machine& machine, Nanoseconds window);

// Each pair that is forecast to gain for the objective runs in its best way, for `window` unseen and once more for the
// mean, and the table corrects by that what both draw together. Two kernels may draw more than their powers alone and
// their speeds say, which a queue finds out only while it runs. The first error of a launch; cancelled, between pairs.
Result<void> measure_pair_power(Machine& machine, Nanoseconds window, const Objective& objective, PairTable& table,
                                const std::atomic<bool>* cancel = nullptr);

}  // namespace wattune::schedule
