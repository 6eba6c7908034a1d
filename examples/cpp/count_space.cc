// Counts a constrained search space, draws from it and finds neighbours of a configuration, without any device.
#include <cstdio>

#include "wattune/space/search_space.h"

int main() {
  using wattune::space::Neighbourhood;
  using wattune::space::SearchSpace;

  auto space = SearchSpace::build(
      {{.name = "block_x", .values = {16, 32, 64, 128, 256}},
       {.name = "block_y", .values = {1, 2, 4, 8, 16}},
       {.name = "tile", .values = {1, 2, 4, 8}}},
      {{.expression = "32 <= block_x * block_y <= 1024"}, {.expression = "tile == 1 or block_x % (tile * 8) == 0"}});
  if (!space) {
    std::fprintf(stderr, "%s\n", space.error().to_string().c_str());
    return 1;
  }
  std::printf("%s of %.0f configurations are valid\n", wattune::to_string(space->count()).c_str(),
              space->cartesian_count());

  wattune::Random random(1);
  const wattune::ConfigurationId id = space->sample(random);
  std::printf("one of them: %s\n", space->configuration(id).to_string().c_str());
  for (const wattune::ConfigurationId neighbour : space->neighbours(id, Neighbourhood::hamming))
    std::printf("  one change away: %s\n", space->configuration(neighbour).to_string().c_str());
}
