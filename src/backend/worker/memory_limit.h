// The memory that a worker may allocate: setting the limit, and ending with a message when it is reached.
#pragma once

#include <cstdint>

namespace wattune::inline v0_1::backend::worker {

// Limits the private memory of the worker, and of each program that it starts (0 for no limit); called before anything
// else. A failed allocation ends the worker with out_of_memory at once. An exception would unwind through drivers that
// hold locks, and would wait for these without end.
void limit_memory(std::uint64_t bytes);

}  // namespace wattune::backend::worker
