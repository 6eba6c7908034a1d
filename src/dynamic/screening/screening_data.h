// Chooses the problem sizes with which a key is screened. These are the key's own sizes, or smaller ones if the memory
// or the budget does not suffice. All functions are pure.
#pragma once

#include <cstdint>

#include "dynamic/calls/problem.h"

namespace wattune::inline v0_1::dynamic {

// Returns the bytes of device memory that screening the default configuration takes: the memory of its buffers, and of
// a copy of each buffer that it overwrites. Errors are those of planning a launch.
Result<std::uint64_t> screening_memory(const KernelSpec& spec, const space::SearchSpace& space);

// Returns the problem's spec, with its largest size halved until the problem takes at most `most` bytes. Only even
// sizes are halved, so that other divisors of the size remain. Fails with unavailable if memory does not suffice and no
// size can be halved.
Result<KernelSpec> fit_to_memory(const Problem& problem, std::uint64_t most);

// One step of screening. The data are copied to the device and back, and the kernel runs on them several times.
struct ScreeningStep {
  Nanoseconds most;         // longest device time that the step should take
  Nanoseconds kernel_time;  // time of the best known configuration on the full data; 0 if unknown
};
// Returns the spec, with its largest size halved until a step is predicted to take no longer than `step.most`. Stops if
// smaller sizes do not need less memory. Errors are those of planning a launch.
Result<KernelSpec> fit_to_time(KernelSpec spec, const space::SearchSpace& space, const ScreeningStep& step);

}  // namespace wattune::dynamic
