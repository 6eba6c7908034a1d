// Particle swarm (Kennedy, Eberhart: Particle swarm optimization, ICNN 1995; inertia: Shi, Eberhart 1998).
//
// velocity = w velocity + c1 r1 (own best - position) + c2 r2 (best of all - position), where the random numbers r1 and
// r2 are drawn for each parameter. A particle that reaches an end of a parameter's values stays there, and its velocity
// in that parameter becomes 0.
#include <algorithm>

#include "search/strategies/strategies.h"
#include "search/strategies/swarm.h"

namespace wattune::inline v0_1::search {

namespace {

class ParticleSwarm final : public Swarm {
 public:
  using Swarm::Swarm;

 private:
  Task<> search() override {
    std::vector<Particle> particles = co_await start_swarm(count_option("population"));
    if (particles.empty()) co_return;
    std::vector<Particle> own_best = particles;
    std::vector<Coordinates> velocities(particles.size(), Coordinates(space().parameters().size(), 0.0));
    for (;;) {
      const Coordinates leader = own_best[best_of(own_best)].position;
      std::vector<Coordinates> points;
      for (std::size_t i = 0; i < particles.size(); ++i) {
        points.push_back(move(particles[i].position, velocities[i], own_best[i].position, leader));
      }
      particles = co_await evaluate_points(std::move(points));
      for (std::size_t i = 0; i < particles.size(); ++i) {
        if (particles[i].cost < own_best[i].cost) own_best[i] = particles[i];
      }
    }
  }

  Coordinates move(Coordinates position, Coordinates& velocity, const Coordinates& own, const Coordinates& leader) {
    const Coordinates extent = extents(space());
    const double inertia = option("inertia");
    const double own_pull = option("own_pull");
    const double swarm_pull = option("swarm_pull");
    for (std::size_t p = 0; p < position.size(); ++p) {
      velocity[p] = inertia * velocity[p] + own_pull * random().uniform() * (own[p] - position[p]) +
                    swarm_pull * random().uniform() * (leader[p] - position[p]);
      const double wanted = position[p] + velocity[p];
      position[p] = std::clamp(wanted, 0.0, extent[p]);
      if (position[p] != wanted) velocity[p] = 0.0;
    }
    return position;
  }
};

}  // namespace

std::unique_ptr<Strategy> make_particle_swarm(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<ParticleSwarm>(space, options);
}

}  // namespace wattune::search
