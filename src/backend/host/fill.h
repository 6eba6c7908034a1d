// Fills memory from all processors; flushing of caches uses this.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace wattune::inline v0_1::backend::host {

// Returns the numbers of the processors that this process may use; empty if unknown.
std::vector<int> usable_processors();

// Sets every byte. A large area is filled in equal parts by all processors that this process may use, so that the new
// contents displace the former ones in each processor's caches.
void fill_from_all_processors(std::span<std::byte> memory, std::byte value);

}  // namespace wattune::backend::host
