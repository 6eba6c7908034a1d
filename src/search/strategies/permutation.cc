#include "search/strategies/permutation.h"

namespace wattune::inline v0_1::search {

namespace {

int bits_of(Uint128 value) {
  int bits = 0;
  for (; value != 0; value >>= 1) ++bits;
  return bits;
}

// Mixes bits with the finaliser of SplitMix64: every input bit changes half of the output bits.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

Permutation::Permutation(Uint128 bound, Random& random) : bound_(bound), half_bits_((bits_of(bound - 1) + 1) / 2) {
  if (half_bits_ == 0) half_bits_ = 1;
  for (std::uint64_t& key : keys_) key = random.bits();
}

Uint128 Permutation::at(Uint128 position) const {
  do {
    position = permute_bits(position);
  } while (position >= bound_);
  return position;
}

Uint128 Permutation::permute_bits(Uint128 value) const {
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - half_bits_);
  auto left = static_cast<std::uint64_t>(value >> half_bits_);
  auto right = static_cast<std::uint64_t>(value) & mask;
  for (const std::uint64_t key : keys_) {
    const std::uint64_t swapped = left ^ (mix(right + key) & mask);
    left = right;
    right = swapped;
  }
  return (Uint128{left} << half_bits_) | right;
}

}  // namespace wattune::search
