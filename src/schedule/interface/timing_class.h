// The class of a kernel: which kind of resource it fills. Times of the kernel alone tell it: on few and on all SMs, and
// with few and with all resident blocks. If these times are missing, the resources that the kernel uses tell it.
//
// Times do not depend on counts, so they can refute them. If times tell that a resource is full, counts cannot be right
// by which every resource is half idle. All functions are pure, and any thread may call them.
//
//   if (schedule::are_complementary(gemm, copy).value_or(false)) run_together();
#pragma once

#include <optional>
#include <string_view>

#include "wattune/schedule/machine.h"

namespace wattune::inline v0_1::schedule {

enum class KernelClass {
  unknown,      // neither times nor counts tell it
  shared_full,  // a resource that all SMs share is full, such as DRAM: the kernel is as fast on few SMs
  sm_full,      // a resource of each SM is full, such as a pipe: the kernel needs all SMs, but not all resident blocks
};
std::string_view to_string(KernelClass full);  // "unknown", "shared", "sm"

// Tells the class by `speed_on_sms` and `rate_at_residency`. The class is unknown if a needed one of these is missing.
// It is unknown, too, if the kernel needs no more rounds of blocks with fewer places for them, because equal times then
// tell nothing.
KernelClass timing_class(const KernelTraits& kernel);

// Finds the class by times. If times do not show it, the use of resources does: the class is the kind of resource of
// which one is used for more than 60 % (known_use()), if there is only one such kind. Counts of resources that all SMs
// share are upper bounds, since they model no caches. So counts may show that no shared resource is full, but only
// counters can show that one is.
KernelClass kernel_class(const KernelTraits& kernel);

// Tells whether one of the two kernels fills a resource that all SMs share, and the other a resource of each SM.
// Returns nullopt if the class of one is unknown.
std::optional<bool> are_complementary(const KernelTraits& first, const KernelTraits& second);

// Tells whether the kernel's times refute its counts (`use`): its class is known by its times, but by the counts no
// resource of that kind is used for more than 60 %. False if there are no counts.
bool refutes_counts(const KernelTraits& kernel);

// Returns PUR and MUR. If they are unknown, the kind of resource that is full by the kernel's class counts as used
// completely, and the other kind as unused.
model::Utilisation likely_utilisation(const KernelTraits& kernel);

// Returns the rank of a kernel among resident launches that begin together; the lowest rank begins first. A kernel that
// fills a resource which all SMs share goes first, and then the kernel that issues least often (PUR). An unknown PUR
// counts as a half.
double launch_rank(const KernelTraits& kernel);

}  // namespace wattune::schedule
