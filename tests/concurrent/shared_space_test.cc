#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "wattune/space/search_space.h"

namespace wattune::inline v0_1::space {
namespace {

TEST(SearchSpace, AnswersThreadsAtTheSameTime) {
  std::vector<Value> values;
  for (int i = 1; i <= 32; ++i) values.emplace_back(i);
  const SearchSpace space =
      SearchSpace::build(
          {{.name = "x", .values = values}, {.name = "y", .values = values}, {.name = "z", .values = values}},
          {{.expression = "x * y <= 256 and z % x == 0"}})
          .value();

  std::vector<std::thread> threads;
  std::vector<int> agreements(4, 0);
  for (std::size_t t = 0; t < agreements.size(); ++t) {
    threads.emplace_back([&space, &count = agreements[t], t] {
      Random random(t);
      ValueIndices indices;
      for (int i = 0; i < 500; ++i) {
        const ConfigurationId id = space.sample(random);
        space.unrank(id, indices);
        const bool neighbours_valid = !space.neighbours(id, Neighbourhood::hamming).empty();
        if (space.contains(indices) && space.rank(indices) == id && neighbours_valid) ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(agreements, std::vector<int>(4, 500));
}

}  // namespace
}  // namespace wattune::space
