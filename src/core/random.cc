#include "wattune/core/random.h"

namespace wattune::inline v0_1 {

// Rejects the draws beyond the largest multiple of the bound, so that every remainder is equally likely.
Uint128 Random::below128(Uint128 bound) {
  const Uint128 excess = (~Uint128{0} % bound + 1) % bound;
  for (;;) {
    const Uint128 high = engine_();
    const Uint128 low = engine_();
    const Uint128 draw = high << 64 | low;
    if (draw <= ~Uint128{0} - excess) return draw % bound;
  }
}

// Uses Lemire's multiply-and-shift method (ACM TOMACS 29(1), 2019).
std::uint64_t Random::below(std::uint64_t bound) {
  Uint128 product = Uint128{engine_()} * bound;
  auto low = static_cast<std::uint64_t>(product);
  if (low < bound) {
    const std::uint64_t threshold = -bound % bound;
    while (low < threshold) {
      product = Uint128{engine_()} * bound;
      low = static_cast<std::uint64_t>(product);
    }
  }
  return static_cast<std::uint64_t>(product >> 64);
}

}  // namespace wattune
