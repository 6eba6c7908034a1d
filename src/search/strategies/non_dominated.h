// Non-dominated sorting: finds which of many configurations are the best in several objectives at once.
//
// After Deb, Pratap, Agarwal, Meyarivan: A fast and elitist multiobjective genetic algorithm: NSGA-II, IEEE
// Transactions on Evolutionary Computation 6, 2002, section III. Smaller costs are better; all configurations have
// equally many.
#pragma once

#include <cstddef>
#include <vector>

namespace wattune::inline v0_1::search {

using Costs = std::vector<double>;
using Front = std::vector<std::size_t>;  // positions

// Returns the fronts, as ascending positions. Nothing dominates the first front; only the first dominates the second,
// and so on.
std::vector<Front> non_dominated_fronts(const std::vector<Costs>& costs);

// Returns a distance for each member of the front: the sum, over the objectives, of the distance between its two
// neighbours as a share of the front's extent. Infinite for the ends.
std::vector<double> crowding_distances(const std::vector<Costs>& costs, const Front& front);

}  // namespace wattune::search
