// OccupancyWalk: block shapes from the highest occupancy down, and clocks from the highest down, each until the first
// that is worse.
//
// Guerreiro, Ilic, Roma, Tomas, "Multi-kernel auto-tuning on GPUs: performance and energy-aware optimization",
// PDP 2015, algorithms 1 (no clock that varies: block shapes alone) and 2, with their print errors corrected: shapes
// and clocks are tried in descending order, a change of shape lets the clock go further down from where it is, and the
// clock is tried again too when the walk ends at the last shape. No run is made twice. It ends, as the clock only
// falls. Where the paper returns the point that it stands on, this settles on the least of all that it met.
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
  ConfigurationId id = 0;     // a configuration that has it, at any clock
  double occupancy = 0.0;     // theoretical, 0 to 1
  std::uint64_t threads = 0;  // of a block
};

struct WalkOptions {
  // Shapes with less than this share of the best occupancy are left out.
  double least_occupancy = 0.8;
  // What is worse by no more than this share counts as equal, and equals go on: the noise of a measurement.
  double indifference = 0.0;
  bool lower_clock = true;  // false: algorithm 1 at the highest clock, where one varies
  // Two, of which the first counts; none: what tell() says is smaller.
  std::vector<Objective> objectives = {};
};

// Of equal occupancy the larger block comes first. The space outlives it.
std::unique_ptr<Strategy> make_occupancy_walk(const space::SearchSpace& space, std::vector<WalkCandidate> candidates,
                                              const WalkOptions& options = {});

}  // namespace wattune::search
