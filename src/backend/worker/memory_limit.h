// Limits the memory that a worker may allocate, and ends the worker with a message when the limit is reached.
#pragma once

#include <cstdint>

namespace wattune::inline v0_1::backend::worker {

// Limits the private memory of the worker, and of each program that it starts (0 for no limit); it is called before
// anything else. A failed allocation ends the worker with out_of_memory at once. An exception instead would unwind
// through drivers that hold locks, and could wait for these locks for ever.
void limit_memory(std::uint64_t bytes);

}  // namespace wattune::backend::worker
