// Torczon's multidirectional search (Torczon: On the Convergence of the Multidirectional Search Algorithm, SIAM Journal
// on Optimization 1, 1991; one of ATF's techniques).
//
// The simplex has one corner more than there are parameters. All corners are reflected at the best one. If that finds a
// better corner, the corners are also tried farther out, by the factor `expansion`; else the simplex contracts towards
// the best corner. The corners of a step are measured together. When the simplex has shrunk to a point, the search
// begins anew.
#include <algorithm>
#include <cmath>

#include "search/strategies/strategies.h"
#include "search/strategies/swarm.h"

namespace wattune::inline v0_1::search {

namespace {

class Torczon final : public Swarm {
 public:
  using Swarm::Swarm;

 private:
  Task<> search() override {
    const std::vector<Particle> start = co_await start_swarm(1);
    if (start.empty()) co_return;
    std::vector<Particle> simplex = co_await evaluate_points(corners(start.front().position));
    while (spread(simplex) > 0.5) {
      std::swap(simplex.front(), simplex[best_of(simplex)]);
      const double best_cost = simplex.front().cost;
      std::vector<Particle> reflected = co_await evaluate_points(scaled(simplex, -1.0));
      if (reflected[best_of(reflected)].cost < best_cost) {
        const std::vector<Particle> expanded = co_await evaluate_points(scaled(simplex, -option("expansion")));
        const bool farther = expanded[best_of(expanded)].cost < reflected[best_of(reflected)].cost;
        simplex = farther ? expanded : reflected;
      } else {
        simplex = co_await evaluate_points(scaled(simplex, option("contraction")));
      }
    }
  }

  // Returns the corners of the first simplex: the start and, for each parameter, a step towards the farther end of its
  // values.
  std::vector<Coordinates> corners(const Coordinates& start) const {
    const Coordinates extent = extents(space());
    std::vector<Coordinates> points(start.size() + 1, start);
    for (std::size_t p = 0; p < start.size(); ++p) {
      const double step = option("step") * extent[p];
      points[p + 1][p] += 2.0 * start[p] > extent[p] ? -step : step;
    }
    return points;
  }

  // Returns the corners with their distances from the first one multiplied by `factor`.
  static std::vector<Coordinates> scaled(const std::vector<Particle>& simplex, double factor) {
    const Coordinates& origin = simplex.front().position;
    std::vector<Coordinates> points;
    for (const Particle& corner : simplex) {
      Coordinates& point = points.emplace_back(origin);
      for (std::size_t p = 0; p < point.size(); ++p) point[p] += factor * (corner.position[p] - origin[p]);
    }
    return points;
  }

  // Returns the largest extent of the simplex along any parameter, in positions.
  static double spread(const std::vector<Particle>& simplex) {
    double largest = 0.0;
    for (const Particle& corner : simplex) {
      for (std::size_t p = 0; p < corner.position.size(); ++p) {
        largest = std::max(largest, std::abs(corner.position[p] - simplex.front().position[p]));
      }
    }
    return largest;
  }
};

}  // namespace

std::unique_ptr<Strategy> make_torczon(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<Torczon>(space, options);
}

}  // namespace wattune::search
