// Non-dominated sorting: finds which of many configurations are the best in several objectives at once.
//
// Source: Deb, Pratap, Agarwal, Meyarivan: A fast and elitist multiobjective genetic algorithm: NSGA-II, IEEE
// Transactions on Evolutionary Computation 6, 2002, section III. Smaller costs are better; all configurations have the
// same number of costs.
#pragma once

#include <cstddef>
#include <vector>

namespace wattune::inline v0_1::search {

using Costs = std::vector<double>;
using Front = std::vector<std::size_t>;  // positions of configurations

// Returns the fronts, as ascending positions. No configuration dominates one of the first front; only those of the
// first front dominate the second, and so on.
std::vector<Front> non_dominated_fronts(const std::vector<Costs>& costs);

// Returns a distance for each member of the front: the sum, over the objectives, of the distance between its two
// neighbours as a share of the front's extent. The ends of a front have infinite distances.
std::vector<double> crowding_distances(const std::vector<Costs>& costs, const Front& front);

}  // namespace wattune::search
