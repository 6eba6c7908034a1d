// Non-dominated sorting: which of many configurations are best in several objectives at once.
//
// After Deb, Pratap, Agarwal, Meyarivan: A fast and elitist multiobjective genetic algorithm: NSGA-II, IEEE
// Transactions on Evolutionary Computation 6, 2002, section III. Costs are less-is-better and equally many per
// configuration.
#pragma once

#include <cstddef>
#include <vector>

namespace wattune::search {

using Costs = std::vector<double>;
using Front = std::vector<std::size_t>;  // positions

// The first front is what nothing dominates, the second what only the first dominates, and so on; ascending positions.
std::vector<Front> non_dominated_fronts(const std::vector<Costs>& costs);

// Parallel to the front: the sum over the objectives of the distance between the two next to it, as a share of the
// front's extent; infinite for the ends.
std::vector<double> crowding_distances(const std::vector<Costs>& costs, const Front& front);

}  // namespace wattune::search
