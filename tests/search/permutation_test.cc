#include "search/strategies/permutation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace wattune::inline v0_1::search {
namespace {

TEST(Permutation, ReachesEveryNumberBelowTheBoundOnce) {
  for (const unsigned bound : {1u, 2u, 3u, 4u, 5u, 17u, 256u, 1000u}) {
    Random random(bound);
    const Permutation permutation(bound, random);
    std::set<Uint128> seen;
    for (unsigned i = 0; i < bound; ++i) seen.insert(permutation.at(i));
    EXPECT_EQ(seen.size(), bound);
    EXPECT_LT(*seen.rbegin(), bound);
  }
}

TEST(Permutation, CoversTheWholeOf128Bits) {
  Random random(1);
  const Permutation permutation(~Uint128{0}, random);
  Uint128 all_ones = 0;
  for (unsigned i = 0; i < 200; ++i) all_ones |= permutation.at(i);
  EXPECT_EQ(all_ones, ~Uint128{0});  // a bit stays 0 in 200 draws with probability 2^-200
}

// Each of the 10 numbers is first in one tenth of all permutations: 10,000 +- 95 (one sigma) of 100,000. The greatest
// of ten deviations stays below five sigma but once in 200,000 sets of keys; this one is fixed.
TEST(Permutation, PutsEachNumberFirstEquallyOften) {
  Random random(3);
  std::vector<int> first(10, 0);
  for (int i = 0; i < 100'000; ++i) ++first[static_cast<std::size_t>(Permutation(10, random).at(0))];
  for (const int count : first) EXPECT_NEAR(count, 10'000, 475);
}

TEST(Permutation, PairsAreEquallyLikelyInBothOrders) {
  Random random(4);
  int ascending = 0;
  for (int i = 0; i < 10'000; ++i) {
    const Permutation permutation(3, random);
    ascending += permutation.at(0) < permutation.at(1) ? 1 : 0;
  }
  EXPECT_NEAR(ascending, 5000, 250);  // sigma = 50
}

TEST(Permutation, IsTheSameOnEveryMachine) {
  Random random(7);
  const Permutation permutation(1'000'000, random);
  EXPECT_EQ(permutation.at(0), 272'013u);
  EXPECT_EQ(permutation.at(1), 821'916u);
  EXPECT_EQ(permutation.at(999'999), 844'971u);
}

}  // namespace
}  // namespace wattune::search
