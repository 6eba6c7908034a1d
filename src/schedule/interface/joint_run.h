// run_jointly(): runs one or two kernels on a machine in fixed shares, without a scheduler. Sweeps, profiles and pilots
// measure with it. A kernel that takes part in a joint run is a Party.
//
// The machine runs nothing else meanwhile. One thread at a time calls the functions.
//
//   const std::array parties{sliced_party(machine, fma, 2), sliced_party(machine, copy, 4)};
//   WATTUNE_ASSIGN(const JointRun run, run_jointly(machine, parties));
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "wattune/schedule/forecast.h"
#include "wattune/schedule/machine.h"
#include "wattune/schedule/work.h"

namespace wattune::inline v0_1::schedule {

// A kernel, the way in which it runs, and the number of its runs in a row.
struct Party {
  KernelId kernel = 0;
  Form form = Form::whole;
  unsigned per_sm = 0;             // for the persistent form: resident blocks on each SM
  std::uint64_t slice_blocks = 0;  // for slices: blocks of each slice
  int priority = 0;
  SmRange sms = {};
  std::size_t repetitions = 1;
};

// A launch of a party that ended.
struct PartyLaunch {
  Nanoseconds begin;
  Nanoseconds end;
  std::uint64_t blocks = 0;  // number of blocks that ran
};

// The times of one party.
struct PartyRun {
  Nanoseconds begin = kForever;  // moment when the party's first block began
  Nanoseconds end;
  std::uint64_t blocks = 0;                // number of blocks that ran
  std::vector<PartyLaunch> launches = {};  // launches in the order of their ends

  Nanoseconds time() const { return end - begin; }
  // Returns how many blocks ran between these moments. A launch that lies only in part between them counts with a share
  // of its blocks: its time between the moments, divided by its whole time. If launches of as many blocks took longer
  // between the moments, their time is the divisor, because this launch may have run faster outside.
  double blocks_between(Nanoseconds from, Nanoseconds until) const;
};

// The outcome of a joint run.
struct JointRun {
  std::vector<PartyRun> parties;
  std::optional<Joules> energy;     // energy of the board
  std::optional<Watts> power = {};  // mean power between counter changes; nullopt if there were fewer than two

  Nanoseconds begin() const { return std::ranges::min(parties, {}, &PartyRun::begin).begin; }
  Nanoseconds end() const { return std::ranges::max(parties, {}, &PartyRun::end).end; }
  Nanoseconds makespan() const { return end() - begin(); }
  // Returns when the last party began. All parties run from then until first_end().
  Nanoseconds all_begun() const { return std::ranges::max(parties, {}, &PartyRun::begin).begin; }
  Nanoseconds first_end() const { return std::ranges::min(parties, {}, &PartyRun::end).end; }
};

struct JointRunOptions {
  // After this time from the beginning nothing more is launched, and persistent launches are stopped.
  Nanoseconds stop_after = kForever;
  // Number of grids of each party that must have run beside the others before `stop_after` counts, unless `longest` has
  // passed.
  std::size_t least_grids = 0;
  Nanoseconds longest = kForever;
  // The place of a party; the run stops when this party ends. Nullopt if all parties run to their ends.
  std::optional<std::size_t> until = {};
  // Longest time of the run. If the run has not ended after it, the machine counts as lost.
  Nanoseconds limit = nanoseconds_from_seconds(600);
};

// Runs the parties, which all begin as soon as they can. Returns when no party runs any more, also after an error. The
// error is that of the first launch that was refused or failed. Fails with device_lost if the limit has passed.
// Precondition: the machine has these kernels.
Result<JointRun> run_jointly(Machine& machine, std::span<const Party> parties, const JointRunOptions& options = {});

// Returns a party with this many blocks on each SM, in slices of so many waves that a launch is worth its cost.
Party sliced_party(const Machine& machine, KernelId kernel, unsigned per_sm);
// Returns a party with this many persistent blocks on each SM, if the kernel has a persistent twin; else that of
// sliced_party().
Party shared_party(const Machine& machine, KernelId kernel, unsigned per_sm);
// Returns the parties of two kernels that run together in this way. They run as twins, unless the shape says that they
// run whole.
std::array<Party, 2> parties_of(const Machine& machine, const std::array<KernelId, 2>& pair, const PairShape& shape);

}  // namespace wattune::schedule
