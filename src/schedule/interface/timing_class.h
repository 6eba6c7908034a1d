// The timing class of a kernel: which kind of resource it fills, told by its times alone on few and on all SMs and with
// few and with all resident blocks.
//
// Times need no counts, so they judge them: no count can be right that leaves everything half idle where times tell
// that something is full. Pure functions; any thread may call.
//
//   if (schedule::are_complementary(gemm, copy).value_or(false)) run_together();
#pragma once

#include <optional>
#include <string_view>

#include "wattune/schedule/machine.h"

namespace wattune::inline v0_1::schedule {

enum class TimingClass {
  unknown,      // not measured, or times tell nothing
  shared_full,  // a resource that all SMs share is full, such as DRAM: the kernel is as fast on few SMs
  sm_full,      // a resource of each SM is full, such as a pipe: the kernel needs all SMs, but not all resident blocks
};
std::string_view to_string(TimingClass timing);  // "unknown", "shared", "sm"

// Tells the class by `speed_on_sms` and `rate_at_residency`. It is unknown if either is missing that it needs, or if
// fewer places for blocks do not mean more rounds of blocks. Equal times then tell nothing.
TimingClass timing_class(const KernelTraits& kernel);

// True if one of the two fills what all SMs share, and the other a resource of each SM. Returns nullopt if the class of
// either is unknown.
std::optional<bool> are_complementary(const KernelTraits& first, const KernelTraits& second);

// True if the kernel's class is known, but no resource of that kind is used for more than 60 % by its counts (`use`).
// The counts are wrong then. False if there are no counts.
bool refutes_counts(const KernelTraits& kernel);

// Returns the rank of a kernel among resident launches that begin together, the first of which has the lowest. The one
// goes first that fills what all SMs share, and then the one that issues least often (PUR).
double launch_rank(const KernelTraits& kernel);

}  // namespace wattune::schedule
