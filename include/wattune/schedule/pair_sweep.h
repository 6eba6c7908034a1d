// PairSweep: the gain of two kernels that run together, measured by sweep_pair() in every way in which a machine can
// run them.
//
// The ways are: one after the other; in streams; with priorities; on SMs of their own (green contexts) at each split;
// on all SMs at each feasible ratio of resident blocks. Kernels that share SMs run persistent, or in windows of slices
// if they have no persistent twin (machine.h). The shorter kernel is repeated until both take about equally long, since
// unequal times bound the gain of a pair. The caller owns the machine, which runs nothing else meanwhile. One thread at
// a time may sweep.
//
//   WATTUNE_ASSIGN(const auto sweep, schedule::sweep_pair(machine, fma, copy, {.rounds = 5}));
//   if (const auto* best = sweep.best(schedule::is_share))
//     print(describe(best->arrangement, machine.limits()), best->gain);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "wattune/core/export.h"
#include "wattune/core/result.h"
#include "wattune/model/co_residency.h"
#include "wattune/schedule/forecast.h"
#include "wattune/schedule/machine.h"

namespace wattune::inline v0_1::schedule {

// The ways in which two kernels run on one GPU.
enum class Way {
  in_turn,   // one kernel after the other
  streams,   // whole kernels in a stream each
  priority,  // whole kernels in a stream each, the blocks of one before those of the other
  split,     // whole kernels on SMs of their own
  shares,    // both on every SM
};
WATTUNE_EXPORT std::string_view to_string(Way way);

// A way with its parameters.
struct WATTUNE_EXPORT Arrangement {
  Way way = Way::in_turn;
  std::size_t urgent = 0;        // for priority: the kernel whose blocks go first, 0 for the first, 1 for the second
  unsigned sms_of_first = 0;     // for split: number of SMs of the first kernel; the second has the others
  model::BlockRatio ratio = {};  // for shares: resident blocks on each SM

  bool operator==(const Arrangement&) const = default;
};
// Returns a text such as "3:5 resident blocks per SM", "96:36 SMs (green contexts)" or "two streams"; "slices of 1:3
// blocks per unit" on a machine that does not know how many blocks an SM holds.
WATTUNE_EXPORT std::string describe(const Arrangement& arrangement, const MachineLimits& limits);

// Returns the shape in which the policy `paired` runs two kernels in this way; an empty shape for one kernel after the
// other.
WATTUNE_EXPORT PairShape shape_of(const Arrangement& arrangement);
// Returns the arrangement of a shape. Twins on SMs of their own count as a split, which sweeps run with whole kernels.
WATTUNE_EXPORT Arrangement arrangement_of(const PairShape& shape);

// The figures of one arrangement.
struct WATTUNE_EXPORT SweepRow {
  Arrangement arrangement;
  std::array<Nanoseconds, 2> times = {};  // from each kernel's first block to its last; a median, as all below
  Nanoseconds makespan = {};
  double gain = 0.0;                        // sum of both times alone, divided by the makespan, minus one
  std::optional<Joules> energy = {};        // energy of the board
  std::optional<Error> failure = {};        // the reason if there are no figures
  std::vector<Nanoseconds> makespans = {};  // makespans of the rounds, in order; `makespan` is their median
};

// The figures of two kernels alone, and of all arrangements.
struct WATTUNE_EXPORT PairSweep {
  std::array<KernelId, 2> kernels = {};
  std::array<std::size_t, 2> repetitions = {1, 1};
  std::array<Nanoseconds, 2> alone = {};  // times of each kernel alone as a whole, for all its repetitions together
  std::array<std::optional<Joules>, 2> energy_alone = {};
  std::array<std::vector<Nanoseconds>, 2> alone_by_round = {};
  std::vector<SweepRow> rows;  // rows in the order of `Way`

  // Returns the row with the highest gain for which the predicate holds; nullptr if there is none.
  const SweepRow* best(const std::function<bool(const SweepRow&)>& is_meant) const;
};
// Returns the gain of running two kernels together, over running them one after the other. `alone` holds their times
// alone. Both run at `rates` until one has ended; then the other continues at its speed of `after`. Returns 0 if both
// rates are 0, so that they never run together.
WATTUNE_EXPORT double expected_gain(const std::array<Nanoseconds, 2>& alone, const std::array<double, 2>& rates,
                                    const std::array<double, 2>& after = {1.0, 1.0});

// True if both kernels of the row run on every SM (Way::shares).
WATTUNE_EXPORT bool is_share(const SweepRow& row);
// True if the row is of any way but Way::shares. None of these other ways needs a twin.
WATTUNE_EXPORT bool is_baseline(const SweepRow& row);

struct WATTUNE_EXPORT SweepOptions {
  // The number of rounds. In each, both kernels alone and every way run once, in an order that is drawn anew. Before
  // the first round, each way runs once unmeasured. A single round has a fixed order and nothing before it; it is for
  // virtual time, where runs repeat exactly.
  std::size_t rounds = 5;
  std::uint64_t seed = 1;  // seed of the orders
  // The largest allowed difference between the two kernels' times alone, as a share of the longer one. The shorter
  // kernel is repeated as few times as this limit allows.
  double match = 0.1;              // above 0
  double most_repetitions = 1000;  // largest number of repetitions of the shorter kernel for one of the longer kernel
  // The least time of a kernel in a run. Kernels that take less are repeated, because their time is mostly beginning
  // and end.
  Nanoseconds least_time = nanoseconds_from_ms(2);
  // A function that is called before each run, with the number of runs done and the number of all runs. If it returns
  // false, the sweep ends as `cancelled`.
  std::function<bool(std::size_t done, std::size_t all)> on_progress = {};
};

// Returns the ratios of blocks at which the two can share an SM; 1:3, 2:2 and 3:1 if the machine does not know an SM's
// capacity. Returns an empty list if they never fit, or if a kernel has neither slices nor a twin. Fails with not_found
// for an unknown kernel, and with the errors of model::feasible_ratios().
WATTUNE_EXPORT Result<std::vector<model::BlockRatio>> ratios_of(const Machine& machine, KernelId first,
                                                                KernelId second);

// Runs both kernels of a sweep with all repetitions, each alone, and returns the sum of their times. This function and
// the next three fail with errors of the machine.
WATTUNE_EXPORT Result<Nanoseconds> time_both_alone(Machine& machine, const PairSweep& sweep);
// Returns the makespan of all repetitions in this arrangement.
WATTUNE_EXPORT Result<Nanoseconds> time_together(Machine& machine, const PairSweep& sweep,
                                                 const Arrangement& arrangement);

// Runs a kernel once, whole.
WATTUNE_EXPORT Result<void> run_alone(Machine& machine, KernelId kernel);
// Runs each of two kernels once, in this arrangement.
WATTUNE_EXPORT Result<void> run_pair(Machine& machine, std::array<KernelId, 2> kernels, const Arrangement& arrangement);

// Measures the pair in all ways. Fails with invalid_argument if no SM holds a kernel, the times alone differ too much,
// or there are no rounds. Fails with not_found if there is no such kernel, with device_lost, with cancelled, and with
// errors of a kernel that runs alone. A failure of one way is recorded in that way's row.
WATTUNE_EXPORT Result<PairSweep> sweep_pair(Machine& machine, KernelId first, KernelId second,
                                            const SweepOptions& options = {});

}  // namespace wattune::schedule
