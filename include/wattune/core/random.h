// Random: the one source of random numbers, reproducible across machines and standard libraries.
//
// The engine is std::mt19937_64, whose output the standard fixes. The distributions are our own, because the standard
// leaves theirs open. Not thread safe: each thread needs its own.
//
//   Random random(seed);
//   const std::uint64_t die = 1 + random.below(6);
#pragma once

#include <cstdint>
#include <random>

#include "wattune/core/export.h"
#include "wattune/core/uint128.h"

namespace wattune::inline v0_1 {

// A sequence of random numbers that a seed fixes.
class WATTUNE_EXPORT Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  // Draws 64 random bits.
  std::uint64_t bits() { return engine_(); }
  // Draws uniformly from [0, bound), without bias. Precondition: bound > 0.
  std::uint64_t below(std::uint64_t bound);
  Uint128 below128(Uint128 bound);
  // Draws uniformly from [0, 1), with 53 random bits.
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace wattune
