// Pattern search (Hooke, Jeeves: "Direct Search" Solution of Numerical and Statistical Problems, JACM 8, 1961; one of
// ATF's techniques).
//
// From a base, each parameter in turn tries a step up and a step down and keeps the better point. If that finds a
// better point, the next exploration begins on the line from the base through that point, twice as far away. Without
// improvement the steps are halved. Once they are smaller than one position, the search begins anew.
#include <algorithm>
#include <cmath>

#include "search/strategies/strategies.h"
#include "search/strategies/swarm.h"

namespace wattune::inline v0_1::search {

namespace {

class PatternSearch final : public Swarm {
 public:
  using Swarm::Swarm;

 private:
  Task<> search() override {
    std::vector<Particle> start = co_await start_swarm(1);
    if (start.empty()) co_return;
    Particle base = start.front();
    for (double size = option("step"); steps_left(size); size *= 0.5) {
      Particle found = co_await explore(base, size);
      while (found.cost < base.cost) {
        Coordinates beyond = found.position;
        for (std::size_t p = 0; p < beyond.size(); ++p) beyond[p] += found.position[p] - base.position[p];
        base = found;
        const Particle pattern = co_await at(std::move(beyond));
        found = co_await explore(pattern, size);
        if (found.cost >= base.cost) found = co_await explore(base, size);
      }
    }
  }

  Task<Particle> at(Coordinates point) {
    std::vector<Coordinates> points;
    points.push_back(std::move(point));
    const std::vector<Particle> particles = co_await evaluate_points(std::move(points));
    Particle particle = particles.front();
    particle.position = coordinates(space(), particle.id);
    co_return particle;
  }

  Task<Particle> explore(Particle here, double size) {
    const Coordinates extent = extents(space());
    for (std::size_t p = 0; p < extent.size(); ++p) {
      const double step = std::max(1.0, std::round(size * extent[p]));
      for (const double direction : {1.0, -1.0}) {
        Coordinates point = here.position;
        point[p] += direction * step;
        if (point[p] < 0.0 || point[p] > extent[p]) continue;
        const Particle other = co_await at(std::move(point));
        if (other.cost >= here.cost) continue;
        here = other;
        break;
      }
    }
    co_return here;
  }

  // True if the step of at least one parameter still exceeds half a position.
  bool steps_left(double size) const { return size * std::ranges::max(extents(space())) > 0.5; }
};

}  // namespace

std::unique_ptr<Strategy> make_pattern_search(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<PatternSearch>(space, options);
}

}  // namespace wattune::search
