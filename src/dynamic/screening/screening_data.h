// Chooses the problem sizes with which a key is screened. They are the key's own, or smaller ones if memory or the
// budget does not suffice. All functions are pure.
#pragma once

#include <cstdint>

#include "dynamic/calls/problem.h"

namespace wattune::inline v0_1::dynamic {

// Returns the bytes of device memory that screening the default configuration takes: its buffers, and a copy of each
// that it overwrites. Fails as the plan does.
Result<std::uint64_t> screening_memory(const KernelSpec& spec, const space::SearchSpace& space);

// Returns the problem's spec, with its largest size halved until it takes at most `most` bytes. Only even sizes are
// halved, so that other divisors of the size remain. Fails with unavailable if memory does not suffice and no size can
// be halved.
Result<KernelSpec> fit_to_memory(const Problem& problem, std::uint64_t most);

// One step of screening: its data are copied to the device and back, and the kernel runs on them several times.
struct ScreeningStep {
  Nanoseconds most;         // longest device time that it should take
  Nanoseconds kernel_time;  // time of the best known with all data; 0 if unknown
};
// Returns the spec, with its largest size halved until a step is predicted to take no longer. Stops if smaller sizes do
// not need less memory. Fails as the plan does.
Result<KernelSpec> fit_to_time(KernelSpec spec, const space::SearchSpace& space, const ScreeningStep& step);

}  // namespace wattune::dynamic
