// The memory that a worker may take: setting the limit, and ending in words when it is met.
#pragma once

#include <cstdint>

namespace wattune::backend::worker {

// In the worker, before it does anything else: it, and each program that it starts, may allocate so many bytes of
// private memory (0: any). What it cannot have ends it with out_of_memory, at once: an exception would unwind through
// drivers that hold locks, and wait for them without end.
void limit_memory(std::uint64_t bytes);

}  // namespace wattune::backend::worker
