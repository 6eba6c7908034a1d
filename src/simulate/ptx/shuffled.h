// Numbers in random order.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "wattune/core/random.h"

namespace wattune::inline v0_1::simulate {

// Returns 0 to count - 1 in random order.
inline std::vector<std::uint64_t> shuffled(std::uint64_t count, Random& random) {
  std::vector<std::uint64_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (std::uint64_t left = count; left > 1; --left) std::swap(order[left - 1], order[random.below(left)]);
  return order;
}

}  // namespace wattune::simulate
