#include "search/strategies/local_search.h"

#include <cmath>

#include "search/strategies/random_choice.h"

namespace wattune::inline v0_1::search {

std::vector<ConfigurationId> LocalSearch::neighbours(ConfigurationId id, Order order) {
  std::vector<ConfigurationId> ids = space().neighbours(id, neighbourhood_, kMaxNeighbours);
  if (order == Order::random) shuffle(ids, random());
  return ids;
}

ConfigurationId Walk::random_walk(ConfigurationId id, std::size_t steps) {
  for (std::size_t step = 0; step < steps; ++step) {
    const std::optional<ConfigurationId> next = space().random_neighbour(id, random());
    if (!next) break;
    id = *next;
  }
  return id;
}

bool Walk::metropolis(double loss, double temperature) {
  return random().uniform() < std::exp(-loss / (best()->objective * temperature));
}

Task<std::optional<Point>> Walk::find_start() {
  for (auto id = starting_point(); id; id = starting_point()) {
    const Outcome outcome = co_await evaluate(*id);
    if (outcome) co_return Point{*id, *outcome};
  }
  co_return std::nullopt;
}

Task<Point> LocalSearch::first_improvement(Point here, Order order) {
  for (bool moved = true; moved;) {
    moved = false;
    const std::vector<ConfigurationId> ids = neighbours(here.id, order);
    for (std::size_t i = 0; i < ids.size() && !moved; ++i) {
      const Outcome outcome = co_await evaluate(ids[i]);
      moved = better(outcome, here.objective);
      if (moved) here = {ids[i], *outcome};
    }
  }
  co_return here;
}

Task<Point> LocalSearch::best_improvement(Point here) {
  for (bool moved = true; moved;) {
    moved = false;
    const std::vector<ConfigurationId> ids = neighbours(here.id);
    const std::vector<Outcome> outcomes = co_await evaluate_all(ids);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (!better(outcomes[i], here.objective)) continue;
      here = {ids[i], *outcomes[i]};
      moved = true;
    }
  }
  co_return here;
}

}  // namespace wattune::search
