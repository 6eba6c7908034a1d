// CompanyWalk: block shapes of several kernels that run together, and the clock of the board, for the least of one cost
// of all: the makespan, or the energy.
//
// Guerreiro, Ilic, Roma, Tomas, "Multi-kernel auto-tuning on GPUs: performance and energy-aware optimization",
// PDP 2015, algorithms 3 (no clock that varies: shapes alone) and 4, with their print errors corrected. All kernels
// begin with their most promising shape; with these the clock goes down until the first that is worse; then kernel by
// kernel, the one with the highest cost of its own first, shapes are tried with those of the others as they are. A
// change begins at the clock and at the first kernel again. No run is made twice. Rules differ in how a kernel's shapes
// are walked over, and all settle on what docs/search.md says. The space outlives the walk; one thread at a time.
//
//   const auto walk = make_company_walk(space, {lud, hotspot}, {.indifference = 0.01});
//   for (auto id : walk->ask(1)) walk->tell(id, measure(id));
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "wattune/search/strategy.h"

namespace wattune::search {

// A block shape of one kernel.
struct CompanyCandidate {
  space::ValueIndices values;  // one for each of the kernel's parameters
  double occupancy = 1.0;      // theoretical, 0 to 1
  std::uint64_t threads = 0;   // of a block
};

struct CompanyKernel {
  std::vector<std::size_t> parameters;  // positions in the space of all kernels
  std::vector<CompanyCandidate> candidates;
  // The metric that says what of a run is its own, a time or joules; empty, or missing: kernels stay in their order.
  std::string own_cost = {};
};

enum class CompanyRule {
  // Ours: from where the kernel stands, onwards and then back, each until the first that is worse; only what is better
  // by more than the band is taken. It settles on the least that it met.
  two_way,
  // The paper's as corrected: from the first shape until the first that is worse, wherever that leads. May go in
  // circles, which the cap on restarts ends.
  from_first,
  // The paper's with the numbers of runs that its table IV prints: from where the kernel stands, onwards alone, and a
  // change of the first kernel does not begin again.
  onwards,
};

struct CompanyWalkOptions {
  CompanyRule rule = CompanyRule::two_way;
  // Shapes with less than this share of their kernel's best occupancy are left out.
  double least_occupancy = 0.8;
  // What differs by no more than this share counts as equal: the noise of a measurement.
  double indifference = 0.0;
  bool lower_clock = true;                      // false: algorithm 3 at the highest clock, where one varies
  std::size_t restarts = 100;                   // after so many changes it ends where it is
  ConfigurationId start = ~ConfigurationId{0};  // proposed first, for comparison; count() and above mean none
  // Two, of which the first counts; none: what tell() says is smaller.
  std::vector<Objective> objectives = {};
};

// Of equal occupancy the larger block comes first. Parameters that belong to no kernel and are no clock keep the values
// of the default configuration.
std::unique_ptr<Strategy> make_company_walk(const space::SearchSpace& space, std::vector<CompanyKernel> kernels,
                                            const CompanyWalkOptions& options = {});

}  // namespace wattune::search
