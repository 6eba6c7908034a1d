// Filling memory, of which the flushing of caches makes use.
#pragma once

#include <cstddef>
#include <span>

namespace wattune::backend::host {

// Every byte; what is large, in equal parts by every processor that this process may use, so that it takes the place of
// what was in the caches of each.
void fill_from_all_processors(std::span<std::byte> memory, std::byte value);

}  // namespace wattune::backend::host
