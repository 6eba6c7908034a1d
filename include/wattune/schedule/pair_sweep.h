// PairSweep: what two kernels gain by running together, measured in every way in which a machine can run them.
//
// One after the other, in streams, with priorities, on SMs of their own (green contexts) at each split, and sharing all
// SMs at each feasible ratio of resident blocks: persistent, or in windows of slices where a kernel has no such twin.
// The shorter kernel is repeated until both take about equally long, since the gain of a pair is bounded by how equal
// they are. The caller owns the machine, which runs nothing else meanwhile; one thread at a time.
//
//   WATTUNE_ASSIGN(const auto sweep, schedule::sweep_pair(machine, fma, copy, {.rounds = 3}));
//   if (const auto* best = sweep.best(schedule::is_share)) print(describe(best->arrangement), best->gain);
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/model/co_residency.h"
#include "wattune/schedule/machine.h"

namespace wattune::schedule {

enum class Way {
  in_turn,   // one kernel after the other
  streams,   // whole kernels in a stream each
  priority,  // the same, the blocks of one before those of the other
  split,     // whole kernels on SMs of their own
  shares,    // both on every SM
};
std::string_view to_string(Way way);

struct Arrangement {
  Way way = Way::in_turn;
  std::size_t urgent = 0;        // priority: 0 the first, 1 the second
  unsigned sms_of_first = 0;     // split: the second has the others
  model::BlockRatio ratio = {};  // shares: resident blocks on each SM

  bool operator==(const Arrangement&) const = default;
};
// "3:5 resident blocks per SM", "96:36 SMs (green contexts)", "two streams"; of a machine that does not say what an SM
// holds, "slices of 1:3 blocks per unit".
std::string describe(const Arrangement& arrangement, const MachineLimits& limits);

struct SweepRow {
  Arrangement arrangement;
  std::array<Nanoseconds, 2> times = {};  // of each, from its first block to its last; medians, as all that follows
  Nanoseconds makespan = {};
  double gain = 0.0;                        // sum of the times alone over the makespan, less one
  Joules energy = {};                       // of the board; 0: unknown
  std::optional<Error> failure = {};        // why there are no figures
  std::vector<Nanoseconds> makespans = {};  // that the median is of, by round
};

struct PairSweep {
  std::array<KernelId, 2> kernels = {};
  std::array<std::size_t, 2> repetitions = {1, 1};
  std::array<Nanoseconds, 2> alone = {};  // of all repetitions, as whole kernels
  std::array<Joules, 2> energy_alone = {};
  std::array<std::vector<Nanoseconds>, 2> alone_by_round = {};
  std::vector<SweepRow> rows;  // in the order of `Way`

  // The row with the highest gain of those that this holds for; nullptr: there is none.
  const SweepRow* best(const std::function<bool(const SweepRow&)>& is_meant) const;
};
// The gain of work that takes so long alone, if both run at these speeds, over those alone, until one of them has
// ended, and the other goes on at its speed of `after`. 0 where they never run together, both speeds being 0.
double expected_gain(const std::array<Nanoseconds, 2>& alone, const std::array<double, 2>& rates,
                     const std::array<double, 2>& after = {1.0, 1.0});

bool is_share(const SweepRow& row);
bool is_baseline(const SweepRow& row);

struct SweepOptions {
  std::size_t rounds = 3;  // in which everything runs once, every other one in the reverse order
  // By how much the times alone may differ, as a share of the longer one, at the fewest repetitions.
  double match = 0.1;              // above 0
  double most_repetitions = 1000;  // of the shorter one for one of the longer one
  // What is shorter is repeated, since it is mostly beginning and end.
  Nanoseconds least_time = nanoseconds_from_ms(2);
  // Asked before each run, with how many are done of how many; false ends the sweep as `cancelled`.
  std::function<bool(std::size_t done, std::size_t all)> on_progress = {};
};

// The ratios at which the two can share an SM of this machine; of one that does not say what an SM holds, 1:3, 2:2 and
// 3:1. not_found, invalid_argument: as model::feasible_ratios(). Empty: they never fit, or one of them can neither be
// cut nor stays resident.
Result<std::vector<model::BlockRatio>> ratios_of(const Machine& machine, KernelId first, KernelId second);

// Runs both kernels of a sweep alone, with all repetitions, one after the other; or both together, arranged so. Errors
// of the machine.
Result<Nanoseconds> time_both_alone(Machine& machine, const PairSweep& sweep);
Result<Nanoseconds> time_together(Machine& machine, const PairSweep& sweep, const Arrangement& arrangement);

// A kernel once, whole; each of two once, arranged so. Errors of the machine.
Result<void> run_alone(Machine& machine, KernelId kernel);
Result<void> run_pair(Machine& machine, std::array<KernelId, 2> kernels, const Arrangement& arrangement);

// invalid_argument: a kernel that no SM holds, times alone that differ too much, no rounds; not_found: no such kernel;
// device_lost; cancelled. What fails of a kernel alone; what fails of a row is said there.
Result<PairSweep> sweep_pair(Machine& machine, KernelId first, KernelId second, const SweepOptions& options = {});

}  // namespace wattune::schedule
