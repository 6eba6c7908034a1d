// Permutation: the numbers below a bound in random order. Each is computed from its position, so that no list is kept.
//
// A Feistel network permutes the numbers of b bits. Applying it again until the result is below the bound ("cycle
// walking") permutes the numbers below the bound (Black, Rogaway: Ciphers with Arbitrary Finite Domains, 2002). b is
// the smallest even number of bits that holds the bound. So fewer than four steps are needed on average, which take
// some 50 ns.
#pragma once

#include <array>
#include <cstdint>

#include "wattune/core/random.h"
#include "wattune/core/uint128.h"

namespace wattune::inline v0_1::search {

class Permutation {
 public:
  // Draws the keys of the permutation from `random`. Precondition: bound > 0.
  Permutation(Uint128 bound, Random& random);

  Uint128 bound() const { return bound_; }
  // Returns the number at a position. Precondition: position < bound().
  Uint128 at(Uint128 position) const;

 private:
  // Number of rounds. Small domains need more than the four that suffice for large ones to look random.
  static constexpr int kRounds = 8;

  Uint128 permute_bits(Uint128 value) const;

  Uint128 bound_;
  int half_bits_;
  std::array<std::uint64_t, kRounds> keys_;
};

}  // namespace wattune::search
