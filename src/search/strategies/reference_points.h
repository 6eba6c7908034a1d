// Reference points: the means by which NSGA-III spreads a population over a front of many objectives.
//
// Source: Deb, Jain: An evolutionary many-objective optimization algorithm using reference-point-based nondominated
// sorting approach, part I, IEEE Transactions on Evolutionary Computation 18, 2014, section IV. Points are spread
// evenly over the plane through the axes' units (Das, Dennis 1998). Costs are scaled between the ideal point and the
// intercepts of the plane through the extreme points. Each configuration belongs to the point whose line from the
// origin is nearest.
#pragma once

#include "search/strategies/non_dominated.h"

namespace wattune::inline v0_1::search {

// Returns as many evenly spread points as fit into `most`, at least one per objective; each point's coordinates sum to
// 1.
std::vector<Costs> reference_points(std::size_t objectives, std::size_t most);

// Returns the costs of `members`, in their order, scaled from 0 at `ideal` to 1 at the intercepts. If the extreme
// points span no plane that meets all axes, 1 is at the worst cost in `first`, the first front.
std::vector<Costs> scaled_costs(const std::vector<Costs>& costs, const Front& members, const Front& first,
                                const Costs& ideal);

struct Association {
  std::size_t point = 0;
  double distance = 0.0;  // distance to the line through its reference point
};
Association nearest_point(const std::vector<Costs>& points, const Costs& scaled);

}  // namespace wattune::search
