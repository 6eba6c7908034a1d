// Machine: what executes launches on one GPU for a scheduler, in real or in virtual time.
//
// It knows kernels by number, starts them in one of three forms, and says what ended. It decides nothing: which kernel
// runs when and with which share is the scheduler's (scheduler.h). The caller owns it. One thread at a time calls it,
// except limits(), kernel(), now() and wake(), which any thread may call at any time.
//
//   WATTUNE_ASSIGN(const auto id, machine.launch({.kernel = fma, .form = Form::persistent, .blocks = 4096, .per_sm =
//   2})); for (const schedule::Ended& ended : machine.wait(limit))
//     if (ended.launch == id) note(ended.blocks);
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/backend/clock_control.h"
#include "wattune/backend/stream_options.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"
#include "wattune/model/pair_choice.h"
#include "wattune/model/pairing.h"

namespace wattune::schedule {

using KernelId = std::size_t;
using LaunchId = std::uint64_t;

// How a grid reaches the GPU.
enum class Form {
  whole,       // one launch, which nothing interrupts
  slices,      // launches of a part each
  persistent,  // resident blocks that fetch logical blocks from a counter, until a word stops them
};
std::string_view to_string(Form form);

// What the board draws by mean; 0: unknown.
struct PowerTraits {
  Watts alone;  // while the kernel runs by itself, whole, again and again
  Watts idle;   // while nothing runs
  Watts twin;   // while its persistent twin does, with the resident blocks with which that is faster than the kernel

  bool known() const { return alone > Watts(0) && idle > Watts(0); }
};

// Alone, while the cores' clock is set to this.
struct AtClock {
  Megahertz clock;
  Nanoseconds alone;  // what the grid takes
  PowerTraits power;

  Joules energy() const { return power.alone * alone; }
};

// What a scheduler must know of a kernel with its grid.
struct KernelTraits {
  std::string name;
  model::BlockDemand block;
  std::uint64_t blocks = 1;        // of the grid
  Nanoseconds alone;               // what the grid takes by itself; 0: unknown
  model::PairKernel profile;       // for predictions
  model::Utilisation utilisation;  // alone
  // Alone, the share of its time for which it keeps each resource busy, in the order of simulate::use_of(); empty:
  // unknown.
  std::vector<double> use = {};
  // Alone with 1, 2 ... resident blocks on each SM, its speed over that with all; empty: not measured.
  std::vector<double> rate_at_residency = {};
  // Of its persistent twin with all resident blocks alone, over its own.
  double twin_speed = 1.0;
  // Where each launch fills the SMs that the last blocks of the one before leave idle, over that of one alone.
  double overlapped_speed = 1.0;
  // Of the SMs, those with which it is as fast as with all, 0 to 1: below 1 where memory is what it waits for.
  double saturating_share = 1.0;
  std::uint64_t least_slice = 1;  // blocks, below which slicing costs more than it may
  bool sliceable = true;
  bool persistent = true;  // it has a twin that fetches its blocks
  PowerTraits power = {};
  std::vector<AtClock> at_clocks = {};  // at each that may be set, ascending; empty: none may
  // Of those the best for it alone; none: the board's own.
  std::optional<backend::BoardSetting> best_clocks = {};

  // nullptr: it has no profile at these.
  const AtClock* at(const std::optional<backend::BoardSetting>& clocks) const;
  // How much longer it takes at the best clocks for it alone than at the board's own.
  double slower_alone() const;
};

// Neighbouring SMs; none counted: all of the GPU.
using SmRange = backend::UnitRange;

// Blocks that stay on every SM. Of those that begin at once what issues least (PUR) comes first: an SM prefers its
// older warps, which slow the others down as much as they issue.
inline bool is_resident(Form form, const SmRange& sms) { return form == Form::persistent && sms.count == 0; }

struct MachineLimits {
  model::ComputeCapability capability;  // 0.0: unknown, so that the device judges blocks when they are launched
  unsigned sms = 1;
  // Ranges begin and end at multiples of so many SMs, or with the last one, and have as many at least; all of them:
  // there are no ranges.
  unsigned split_grain = 1;
  // Of the hardware, over which lanes are spread: a launch waits until those before it in its queue have begun.
  unsigned hardware_queues = 32;
};

// How many SMs the first of two ranges may have that share out all SMs; empty: there are no ranges.
std::vector<unsigned> splits_of(const MachineLimits& limits);
// The ranges of two that share out all SMs, of which the first has so many. What the grain leaves over lies at the end.
std::array<SmRange, 2> split_ranges(const MachineLimits& limits, unsigned sms_of_first);

struct Launch {
  KernelId kernel = 0;
  Form form = Form::whole;
  std::uint64_t first_block = 0;
  std::uint64_t blocks = 0;  // of a slice, or all that are left
  unsigned per_sm = 0;       // resident blocks of a persistent launch on each SM
  unsigned lane = 0;         // launches of one lane, priority and range come one after the other
  int priority = 0;          // the higher, the earlier its blocks
  SmRange sms = {};
  // Of each SM, that blocks of this launch and of all that shall run beside it share; twins only. 0: what this launch
  // alone needs.
  std::uint64_t shared_bytes = 0;
  std::size_t copy = 0;  // whose buffers it uses: 0 the kernel's own, n those of its n-th copy, where there are copies
};

struct Ended {
  LaunchId launch = 0;
  Nanoseconds begin;  // of its first block
  Nanoseconds end;
  std::uint64_t blocks = 0;  // that are done, from its first one on
  // Why it failed; device_lost where nothing runs on this machine any more.
  std::optional<Error> error = {};
};

class Machine {
 public:
  virtual ~Machine() = default;

  virtual const MachineLimits& limits() const = 0;
  // nullptr: there is none. What it points at lives and stays as it is as long as the machine.
  virtual const KernelTraits* kernel(KernelId id) const = 0;

  virtual Nanoseconds now() const = 0;
  // Of the board since the beginning; 0 where it is unknown.
  virtual Joules energy() const { return Joules(0); }

  // Never waits for a kernel.
  virtual Result<LaunchId> launch(const Launch& launch) = 0;
  // A persistent launch ends with the blocks that it has fetched. Without effect on other forms and on what has ended.
  virtual void stop(LaunchId launch) = 0;
  // What ended since the last call. Waits for something to end, for `until` or for wake(). Where nothing runs, virtual
  // time passes to `until`, if that is finite.
  virtual std::vector<Ended> wait(Nanoseconds until) = 0;
  // Ends a wait().
  virtual void wake() {}
};

}  // namespace wattune::schedule
