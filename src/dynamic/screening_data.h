// What a key is screened on: data of its own sizes, or of smaller ones where memory or the budget does not suffice.
// Pure functions.
#pragma once

#include <cstdint>

#include "dynamic/problem.h"

namespace wattune::dynamic {

// The bytes of device memory that screening the default configuration takes: its buffers, and a copy of each that it
// overwrites. Errors of the plan.
Result<std::uint64_t> screening_memory(const KernelSpec& spec, const space::SearchSpace& space);

// The problem's spec; where that takes more than `most` bytes, with its largest size halved until it does not. Sizes
// stay multiples of what they were halves of, so that what divided them mostly still does. unavailable: memory does not
// suffice, and no size can be halved.
Result<KernelSpec> fit_to_memory(const Problem& problem, std::uint64_t most);

// A step of screening brings data to the device and back, and runs the kernel on them some times.
struct ScreeningStep {
  Nanoseconds most;         // that it should take of the device's time
  Nanoseconds kernel_time;  // of the best known with all data; 0: unknown
};
// The spec with its largest size halved until a step takes no longer, as far as that can be foretold, and as far as
// there are sizes by which it needs less memory. Errors of the plan.
Result<KernelSpec> fit_to_time(KernelSpec spec, const space::SearchSpace& space, const ScreeningStep& step);

}  // namespace wattune::dynamic
