// Machine: an interface that executes launches on one GPU for a scheduler, in real or in virtual time.
//
// It knows kernels by number, starts them in one of three forms, and reports what ended. Two forms need a twin: a copy
// of the kernel, made from its PTX, that runs a part of the grid as if it were all of it (docs/slice.md). A machine
// makes no decisions: the scheduler chooses which kernel runs when and with which share. The caller owns it. One thread
// at a time calls it, except for limits(), kernel(), now() and wake(), which any thread may call at any time.
//
//   const schedule::Launch launch{.kernel = fma, .form = Form::persistent, .blocks = 4096, .per_sm = 2};
//   WATTUNE_ASSIGN(const auto id, machine.launch(launch));
//   for (const schedule::Ended& ended : machine.wait(limit))
//     if (ended.launch == id) note(ended.blocks);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/backend/clock_control.h"
#include "wattune/backend/stream.h"
#include "wattune/core/export.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"
#include "wattune/model/kernel_features.h"
#include "wattune/model/pair_choice.h"
#include "wattune/model/pairing.h"

namespace wattune::inline v0_1::schedule {

using KernelId = std::size_t;
using LaunchId = std::uint64_t;

struct LoadedKernel;  // a kernel on a device with its buffers

// The form in which a grid is launched.
enum class Form {
  whole,       // one launch, which nothing interrupts
  slices,      // several launches of a part of the grid each
  persistent,  // resident blocks that take numbers of blocks from a counter, until a word in memory stops them
};
WATTUNE_EXPORT std::string_view to_string(Form form);

// Mean power of the board, for one kernel.
struct WATTUNE_EXPORT PowerTraits {
  Watts alone;  // while the kernel runs alone as a whole, again and again
  Watts idle;   // while nothing runs
  // Power while the kernel's persistent twin runs with its fastest number of resident blocks. It is measured only if
  // the twin is faster than the kernel.
  std::optional<Watts> twin = {};
};

// Returns a text such as "562 MHz", or "562/324 MHz" if the memory's clock is set, too. Precondition: the cores' clock
// is set.
WATTUNE_EXPORT std::string describe(const backend::BoardSetting& clocks);

// The time and the power of a kernel alone at one setting of the clocks.
struct WATTUNE_EXPORT AtClock {
  Megahertz clock;    // clock of the cores
  Nanoseconds alone;  // time of the grid
  PowerTraits power;
  std::optional<Megahertz> memory = {};  // nullopt for the board's own memory clock
  bool is_estimated = false;             // true if estimated from other kernels and clocks, not measured

  backend::BoardSetting setting() const { return {.graphics = clock, .memory = memory}; }
  Joules energy() const { return power.alone * alone; }
};

// The speed of a kernel that runs alone on this many SMs, divided by its speed on all SMs.
struct WATTUNE_EXPORT SpeedOnSms {
  unsigned sms = 1;
  double speed = 1.0;

  bool operator==(const SpeedOnSms&) const = default;
};

// The facts of a kernel with its grid that a scheduler needs.
struct WATTUNE_EXPORT KernelTraits {
  std::string name;
  model::BlockDemand block;
  std::uint64_t blocks = 1;  // blocks of the grid, or of the grids of all launches, one after another
  // Number of launches that make up one work. Each waits for the one before, so all parts of a work run in one lane.
  std::size_t launches = 1;
  std::optional<Nanoseconds> alone = {};               // time of the work when it runs by itself
  model::PairKernel profile;                           // profile of the kernel's warps, for predictions
  std::optional<model::Utilisation> utilisation = {};  // utilisation when the kernel runs alone; nullopt if unknown
  // The share of the kernel's time alone for which it keeps each resource busy, in the order of simulate::use_of(). The
  // interpreter counts the shares; those of a simulated kernel are known. The list is empty if they are unknown.
  std::vector<double> use = {};
  // The shares of `use` as the device's own counters tell them, in the same order; nullopt for a resource without a
  // counter. The list is empty if no counters were read.
  std::vector<std::optional<double>> use_by_counters = {};
  // The kernel's speed alone with 1, 2 ... resident blocks on each SM, divided by its speed with all; empty if not
  // measured.
  std::vector<double> rate_at_residency = {};
  // The speed of the kernel's persistent twin alone with all resident blocks, divided by the speed of the kernel.
  double twin_speed = 1.0;
  // The kernel's speed if the next launch begins on SMs that the last blocks of a launch leave idle. It is divided by
  // the speed of one launch alone.
  double overlapped_speed = 1.0;
  // The share of all SMs with which the kernel is as fast as with all, 0 to 1. It is below 1 if the kernel waits for
  // memory.
  double saturating_share = 1.0;
  // The kernel's speed on the ranges of SMs that were measured, ascending; the last range is all SMs. The list is empty
  // if no range was measured.
  std::vector<SpeedOnSms> speed_on_sms = {};
  std::uint64_t least_slice = 1;  // least number of blocks in a slice; smaller slices would cost too much
  bool sliceable = true;
  bool persistent = true;  // true if the kernel has a persistent twin
  std::optional<PowerTraits> power = {};
  std::optional<model::KernelFeatures> features = {};  // features of Jiao et al., for networks; nullopt if unknown
  // Figures at each setting of the clocks that may be set. Figures of one memory clock stand together, and both clocks
  // ascend. The list is empty if no clocks may be set.
  std::vector<AtClock> at_clocks = {};
  // The clocks, among those of `at_clocks`, that are best for the kernel alone; nullopt for the board's own.
  std::optional<backend::BoardSetting> best_clocks = {};

  // Returns the kernel's profile at these clocks; nullptr if there is none.
  const AtClock* at(const std::optional<backend::BoardSetting>& clocks) const;
  // Returns the time of the kernel alone at its best clocks, divided by its time alone at the board's own clocks.
  double slower_alone() const;
};

// A range of neighbouring SMs; with a count of 0, all SMs of the GPU.
using SmRange = backend::UnitRange;

// Tells whether blocks of the launch stay on every SM. If several such launches begin at once, their order matters. The
// reason is that an SM prefers its older warps: the more instructions these issue, the more they slow the others down.
// So a launch that fills a resource which all SMs share goes first, and then the launch that issues least often (PUR).
inline bool is_resident(Form form, const SmRange& sms) { return form == Form::persistent && sms.count == 0; }

// The limits of the GPU.
struct WATTUNE_EXPORT MachineLimits {
  // The GPU's compute capability; nullopt if it is unknown. In that case only the device finds out at the launch
  // whether blocks fit.
  std::optional<model::ComputeCapability> capability = {};
  unsigned sms = 1;
  // Granularity of ranges of SMs: each begins and ends at multiples of this number, or at the last SM, and has at least
  // so many SMs. If it equals `sms`, there are no ranges.
  unsigned split_grain = 1;
  // Number of hardware queues to which lanes are assigned. A launch waits until all launches before it in its queue
  // have begun.
  unsigned hardware_queues = 32;
};

// Returns the numbers of SMs that the first of two ranges may have, if both together cover all SMs. Returns nothing if
// there are no ranges.
WATTUNE_EXPORT std::vector<unsigned> splits_of(const MachineLimits& limits);
// Returns two ranges that together cover all SMs; the first has this many SMs. SMs beyond the last multiple of the
// grain lie at the end.
WATTUNE_EXPORT std::array<SmRange, 2> split_ranges(const MachineLimits& limits, unsigned sms_of_first);

// A request to run a kernel, or a part of its grid.
struct WATTUNE_EXPORT Launch {
  KernelId kernel = 0;
  Form form = Form::whole;
  std::uint64_t first_block = 0;
  std::uint64_t blocks = 0;  // blocks of the slice, or all blocks that are left
  unsigned per_sm = 0;       // resident blocks of a persistent launch on each SM
  unsigned lane = 0;         // launches of one lane, priority and range run one after the other
  int priority = 0;          // blocks of higher priority begin earlier
  SmRange sms = {};
  // Bytes of shared memory on each SM for this launch and all that shall run beside it; for twins only. 0 stands for
  // what this launch alone needs.
  std::uint64_t shared_bytes = 0;
  std::size_t copy = 0;  // copy whose buffers the launch uses; the kernel's own if 0, or if there are no copies
  // The kernel with arguments of an application, which replaces a copy; nullptr for none.
  std::shared_ptr<const LoadedKernel> data = {};
};

// A launch that has ended.
struct WATTUNE_EXPORT Ended {
  LaunchId launch = 0;
  Nanoseconds begin;  // moment when the launch's first block began
  Nanoseconds end;
  std::uint64_t blocks = 0;  // blocks that are done, counted from the launch's first one
  // The reason why the launch failed; device_lost if the machine can run nothing any more.
  std::optional<Error> error = {};
};

// A GPU that executes launches.
class WATTUNE_EXPORT Machine {
 public:
  virtual ~Machine() = default;

  virtual const MachineLimits& limits() const = 0;
  // Returns the traits of the kernel; nullptr if there is none. The traits stay valid and unchanged as long as the
  // machine lives.
  virtual const KernelTraits* kernel(KernelId id) const = 0;

  // Returns the present time of the machine's clock, by which all times of launches are given.
  virtual Nanoseconds now() const = 0;
  // Returns the energy of the board since the beginning; nullopt if the board reports none.
  virtual std::optional<Joules> energy() const { return std::nullopt; }

  // Starts the launch and never waits for a kernel. Fails if there is no such kernel, form, range or block, and with
  // errors of the device.
  virtual Result<LaunchId> launch(const Launch& launch) = 0;
  // Ends a persistent launch as soon as the blocks that it has fetched are done. Has no effect on other forms and on
  // launches that have ended.
  virtual void stop(LaunchId launch) = 0;
  // Returns the launches that ended since the last call. Waits for an end, for `until` or for wake(). If nothing runs,
  // virtual time passes to `until`, provided that it is finite.
  virtual std::vector<Ended> wait(Nanoseconds until) = 0;
  // Ends a wait() that is under way.
  virtual void wake() {}
};

}  // namespace wattune::schedule
