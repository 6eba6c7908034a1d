#include "search/strategies/non_dominated.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/interface/pareto.h"

namespace wattune::inline v0_1::search {

std::vector<Front> non_dominated_fronts(const std::vector<Costs>& costs) {
  std::vector<std::size_t> better(costs.size(), 0);  // number of other costs that dominate each element
  std::vector<Front> worse(costs.size());            // positions of the other costs that each element dominates
  for (std::size_t a = 0; a < costs.size(); ++a) {
    for (std::size_t b = 0; b < costs.size(); ++b) {
      if (!dominates(costs[a], costs[b])) continue;
      worse[a].push_back(b);
      ++better[b];
    }
  }
  std::vector<Front> fronts;
  Front front;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (better[i] == 0) front.push_back(i);
  }
  while (!front.empty()) {
    Front next;
    for (const std::size_t a : front) {
      for (const std::size_t b : worse[a]) {
        if (--better[b] == 0) next.push_back(b);
      }
    }
    std::ranges::sort(next);
    fronts.push_back(std::move(front));
    front = std::move(next);
  }
  return fronts;
}

std::vector<double> crowding_distances(const std::vector<Costs>& costs, const Front& front) {
  std::vector<double> distances(front.size(), 0.0);
  const std::size_t objectives = costs[front.front()].size();
  std::vector<std::size_t> order(front.size());
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t objective = 0; objective < objectives; ++objective) {
    const auto cost = [&](std::size_t i) { return costs[front[i]][objective]; };
    std::ranges::stable_sort(order, {}, cost);
    const double extent = cost(order.back()) - cost(order.front());
    distances[order.front()] = distances[order.back()] = std::numeric_limits<double>::infinity();
    if (extent <= 0.0) continue;
    for (std::size_t i = 1; i + 1 < order.size(); ++i)
      distances[order[i]] += (cost(order[i + 1]) - cost(order[i - 1])) / extent;
  }
  return distances;
}

}  // namespace wattune::search
