// The class of a kernel: which kind of resource it fills. Times tell it, of the kernel alone on few and on all SMs and
// with few and with all resident blocks, or else the resources that it uses.
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

enum class KernelClass {
  unknown,      // nothing tells it
  shared_full,  // a resource that all SMs share is full, such as DRAM: the kernel is as fast on few SMs
  sm_full,      // a resource of each SM is full, such as a pipe: the kernel needs all SMs, but not all resident blocks
};
std::string_view to_string(KernelClass full);  // "unknown", "shared", "sm"

// Tells the class by `speed_on_sms` and `rate_at_residency`. It is unknown if either is missing that it needs, or if
// fewer places for blocks do not mean more rounds of blocks. Equal times then tell nothing.
KernelClass timing_class(const KernelTraits& kernel);

// Tells the class by times. If these do not tell it, the class is the only kind of which a resource is used for more
// than 60 % (known_use()). Counts of what all SMs share are upper bounds, since they know no cache. So they may tell
// that nothing of that kind is full, but only counters tell that something is.
KernelClass kernel_class(const KernelTraits& kernel);

// True if one of the two fills what all SMs share, and the other a resource of each SM. Returns nullopt if the class of
// either is unknown.
std::optional<bool> are_complementary(const KernelTraits& first, const KernelTraits& second);

// True if the kernel's class is known by its times, but no resource of that kind is used for more than 60 % by its
// counts (`use`). The counts are wrong then. False if there are no counts.
bool refutes_counts(const KernelTraits& kernel);

// Returns PUR and MUR. If they are unknown, all of the kind of resource is used that is full by the kernel's class, and
// none of the other.
model::Utilisation likely_utilisation(const KernelTraits& kernel);

// Returns the rank of a kernel among resident launches that begin together, the first of which has the lowest. The one
// goes first that fills what all SMs share, and then the one that issues least often (PUR). An unknown PUR counts as a
// half.
double launch_rank(const KernelTraits& kernel);

}  // namespace wattune::schedule
