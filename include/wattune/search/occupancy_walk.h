// OccupancyWalk: walks over block shapes from the highest occupancy down, and over clocks from the highest down, each
// until the first that is worse.
//
// Source: Guerreiro, Ilic, Roma, Tomas, "Multi-kernel auto-tuning on GPUs: performance and energy-aware optimization",
// PDP 2015, with print errors corrected. It is algorithm 1 (block shapes alone) if no clock varies, else algorithm 2.
//
// Shapes and clocks are tried in descending order. After a change of shape the clock goes further down from where it
// is; it is also tried again when the walk ends at the last shape. No run is made twice. The walk ends because the
// clock only falls. The paper returns the point where the walk stands; this one settles on the least cost that it met.
//
//   const auto walk = make_occupancy_walk(space, candidates);
//   for (auto id : walk->ask(1)) walk->tell(id, measure(id));
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "wattune/search/strategy.h"

namespace wattune::search {

// A block shape.
struct WalkCandidate {
  ConfigurationId id = 0;     // any configuration with this shape, at any clock
  double occupancy = 0.0;     // theoretical occupancy, 0 to 1
  std::uint64_t threads = 0;  // in a block
};

struct WalkOptions {
  // Least share of the best occupancy; shapes below it are left out.
  double least_occupancy = 0.8;
  // Share by which a cost may be worse and still count as equal, so that the walk goes on: the noise of a measurement.
  double indifference = 0.0;
  bool lower_clock = true;  // if false, algorithm 1 at the highest clock, where one varies
  // Two objectives, of which the first counts; if empty, the walk minimises what tell() says.
  std::vector<Objective> objectives = {};
};

// Makes the walk. Among shapes of equal occupancy the larger block comes first. The space outlives the walk.
std::unique_ptr<Strategy> make_occupancy_walk(const space::SearchSpace& space, std::vector<WalkCandidate> candidates,
                                              const WalkOptions& options = {});

}  // namespace wattune::search
