#include "search/strategies/swarm.h"

#include <algorithm>

namespace wattune::inline v0_1::search {

Task<std::vector<Particle>> Swarm::start_swarm(std::size_t n) {
  std::vector<Coordinates> points;
  for (const ConfigurationId id : starting_points(n)) points.push_back(coordinates(space(), id));
  co_return co_await evaluate_points(std::move(points));
}

Task<std::vector<Particle>> Swarm::evaluate_points(std::vector<Coordinates> points) {
  std::vector<ConfigurationId> ids;
  for (const Coordinates& point : points) ids.push_back(space().project(point));
  const std::vector<Outcome> outcomes = co_await evaluate_all(ids);
  std::vector<Particle> particles;
  for (std::size_t i = 0; i < ids.size(); ++i) particles.push_back({std::move(points[i]), ids[i], cost(outcomes[i])});
  co_return particles;
}

std::size_t Swarm::best_of(const std::vector<Particle>& particles) {
  return static_cast<std::size_t>(std::ranges::min_element(particles, {}, &Particle::cost) - particles.begin());
}

}  // namespace wattune::search
