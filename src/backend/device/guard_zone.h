// Makes the contents of the guard zones around buffers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "wattune/core/random.h"

namespace wattune::inline v0_1::backend {

// Returns bytes without a repeating pattern, so that a kernel hardly ever writes the same bytes by chance.
inline std::vector<std::byte> guard_pattern(std::size_t bytes) {
  std::vector<std::byte> guard(bytes);
  Random random(1);
  std::ranges::generate(guard, [&random] { return static_cast<std::byte>(random.bits()); });
  return guard;
}

}  // namespace wattune::backend
