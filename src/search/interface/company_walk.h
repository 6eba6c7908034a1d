// CompanyWalk: walks over the block shapes of several kernels that run together (a company), and over the clock of the
// board. It minimises one cost of all kernels together: the makespan or the energy.
//
// Source: Guerreiro, Ilic, Roma, Tomas, "Multi-kernel auto-tuning on GPUs: performance and energy-aware optimization",
// PDP 2015, with print errors corrected: algorithm 3 (shapes alone, if no clock varies) and algorithm 4.
//
// All kernels begin with their most promising shape. With these shapes the clock is lowered until the cost gets worse.
// Then the walk tries the shapes of one kernel after another, while the other kernels keep theirs. The kernel with the
// highest cost of its own comes first. After a change of shape the walk begins again with the clock and the first
// kernel. No run is made twice. The rules (CompanyRule) differ in how they walk over a kernel's shapes; docs/search.md
// says which shape each rule settles on.
//
// The space must outlive the walk. One thread at a time uses a walk.
//
//   const auto walk = make_company_walk(space, {lud, hotspot}, {.indifference = 0.01});
//   for (auto id : walk->ask(1)) walk->tell(id, measure(id));
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "wattune/search/strategy.h"

namespace wattune::inline v0_1::search {

// A block shape of one kernel.
struct CompanyCandidate {
  space::ValueIndices values;  // one value for each of the kernel's parameters
  double occupancy = 1.0;      // theoretical occupancy, 0 to 1
  std::uint64_t threads = 0;   // threads of a block
};

// A kernel of the company with its shapes.
struct CompanyKernel {
  std::vector<std::size_t> parameters;  // positions of its parameters in the space of all kernels
  std::vector<CompanyCandidate> candidates;
  // The metric of a run that is this kernel's own cost, a time or joules. If it is empty or missing, kernels stay in
  // their order.
  std::string own_cost = {};
};

// The order in which the walk goes over a kernel's shapes.
enum class CompanyRule {
  // Wattune's own rule. It walks from the kernel's present shape onwards and then back, each time until the first shape
  // that is worse. It takes only a shape that is better by more than the band of indifference, and settles on the shape
  // with the least cost that it met.
  two_way,
  // The rule of Guerreiro et al. 2015, as corrected. It walks from the first shape until the first one that is worse.
  // It keeps the last shape before that one, even if the kernel's former shape was better. It may go in circles, which
  // the cap on restarts ends.
  from_first,
  // The rule of Guerreiro et al. 2015 with the numbers of runs that its table IV prints. It walks from the present
  // shape onwards only, and a change of the first kernel's shape does not restart the walk.
  onwards,
};

struct CompanyWalkOptions {
  CompanyRule rule = CompanyRule::two_way;
  // Least share of a kernel's best occupancy; shapes with a lower occupancy are left out.
  double least_occupancy = 0.8;
  // Share by which costs may differ and still count as equal: the noise of a measurement.
  double indifference = 0.0;
  bool lower_clock = true;     // false to vary only shapes (algorithm 3) while the clock stays the highest
  std::size_t restarts = 100;  // largest number of times that the walk begins again; then it ends where it stands
  // The configuration to propose first, for comparison. A configuration outside the space is ignored.
  std::optional<ConfigurationId> start = {};
  // Two objectives, the first of which the walk minimises; if empty, the walk minimises the objective that tell()
  // gives.
  std::vector<Objective> objectives = {};
};

// Makes the walk. Among shapes of equal occupancy the larger block comes first. Parameters that belong to no kernel and
// are no clock keep the values of the default configuration.
std::unique_ptr<Strategy> make_company_walk(const space::SearchSpace& space, std::vector<CompanyKernel> kernels,
                                            const CompanyWalkOptions& options = {});

}  // namespace wattune::search
