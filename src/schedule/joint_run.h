// run_jointly(): one or two kernels on a machine, in shares that stay as they are, with no scheduler between: what
// sweeps, profiles and pilots measure with.
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

namespace wattune::schedule {

// A kernel, how it runs, and how often in a row.
struct Party {
  KernelId kernel = 0;
  Form form = Form::whole;
  unsigned per_sm = 0;             // persistent
  std::uint64_t slice_blocks = 0;  // slices
  int priority = 0;
  SmRange sms = {};
  std::size_t repetitions = 1;
};

struct PartyRun {
  Nanoseconds begin = kForever;  // of its first block
  Nanoseconds end;
  std::uint64_t blocks = 0;            // that ran
  std::vector<Nanoseconds> ends = {};  // of its launches

  Nanoseconds time() const { return end - begin; }
};

struct JointRun {
  std::vector<PartyRun> parties;
  Joules energy;                    // of the board; 0: unknown
  std::optional<Watts> power = {};  // between changes of its counter; none: it changed less than twice

  Nanoseconds begin() const { return std::ranges::min(parties, {}, &PartyRun::begin).begin; }
  Nanoseconds end() const { return std::ranges::max(parties, {}, &PartyRun::end).end; }
  Nanoseconds makespan() const { return end() - begin(); }
};

struct JointRunOptions {
  // From the beginning. Then nothing more is launched, and persistent launches are stopped.
  Nanoseconds stop_after = kForever;
  // Not before each party has ended so many launches, unless `longest` has passed.
  std::size_t least_ends = 0;
  Nanoseconds longest = kForever;
  // The place of a party with whose end nothing more is launched either; none: all end by themselves.
  std::optional<std::size_t> until = {};
  // What does not end within this time has lost the machine.
  Nanoseconds limit = nanoseconds_from_seconds(600);
};

// All begin as soon as they can. Returns when nothing of them runs any more: also on an error, which is the first
// launch's that was refused or failed. device_lost: the limit has passed. Precondition: the machine has these kernels.
Result<JointRun> run_jointly(Machine& machine, std::span<const Party> parties, const JointRunOptions& options = {});

// This many blocks on each SM, in slices of as many waves as are worth a launch.
Party sliced_party(const Machine& machine, KernelId kernel, unsigned per_sm);
// The same by persistent blocks, where the kernel has such a twin.
Party shared_party(const Machine& machine, KernelId kernel, unsigned per_sm);
// Two kernels in a way that was forecast of them: by twins, unless they run whole.
std::array<Party, 2> parties_of(const Machine& machine, const std::array<KernelId, 2>& pair, const PairShape& shape);

}  // namespace wattune::schedule
