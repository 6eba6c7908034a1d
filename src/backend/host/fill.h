// Filling memory by all processors, of which the flushing of caches makes use.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace wattune::backend::host {

// The numbers of the processors that this process may use; empty: unknown.
std::vector<int> usable_processors();

// Every byte; what is large, in equal parts by every processor that this process may use, so that it takes the place of
// what was in the caches of each.
void fill_from_all_processors(std::span<std::byte> memory, std::byte value);

}  // namespace wattune::backend::host
