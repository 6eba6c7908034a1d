// Firefly algorithm (Yang: Firefly Algorithms for Multimodal Optimization, SAGA 2009).
//
// Each firefly moves towards every brighter (faster) firefly by the share B0 exp(-gamma r^2) of their distance r, and
// makes a random step of alpha. Distances count with every parameter scaled to a length of 1; r^2 is the mean over the
// parameters.
#include <cmath>

#include "search/strategies/strategies.h"
#include "search/strategies/swarm.h"

namespace wattune::inline v0_1::search {

namespace {

class Firefly final : public Swarm {
 public:
  using Swarm::Swarm;

 private:
  Task<> search() override {
    std::vector<Particle> flies = co_await start_swarm(count_option("population"));
    if (flies.empty()) co_return;
    const Coordinates extent = extents(space());
    for (double alpha = option("alpha");; alpha *= option("alpha_decay")) {
      std::vector<Coordinates> points;
      for (const Particle& fly : flies) points.push_back(move(fly, flies, extent, alpha));
      const std::vector<Particle> moved = co_await evaluate_points(std::move(points));
      const std::size_t leader = best_of(flies);
      for (std::size_t i = 0; i < flies.size(); ++i) {
        if (i != leader || moved[i].cost < flies[i].cost) flies[i] = moved[i];
      }
    }
  }

  Coordinates move(const Particle& fly, const std::vector<Particle>& flies, const Coordinates& extent, double alpha) {
    const double attraction = option("attraction");
    const double absorption = option("absorption");
    Coordinates point = fly.position;
    for (const Particle& brighter : flies) {
      if (brighter.cost >= fly.cost) continue;
      const double pull = attraction * std::exp(-absorption * distance(point, brighter, extent));
      for (std::size_t p = 0; p < point.size(); ++p) point[p] += pull * (brighter.position[p] - point[p]);
    }
    for (std::size_t p = 0; p < point.size(); ++p) point[p] += alpha * extent[p] * (random().uniform() - 0.5);
    return coordinates(space(), space().project(point));
  }

  static double distance(const Coordinates& point, const Particle& other, const Coordinates& extent) {
    double sum = 0.0;
    for (std::size_t p = 0; p < point.size(); ++p) {
      const double difference = (other.position[p] - point[p]) / std::max(1.0, extent[p]);
      sum += difference * difference;
    }
    return sum / static_cast<double>(point.size());
  }
};

}  // namespace

std::unique_ptr<Strategy> make_firefly(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<Firefly>(space, options);
}

}  // namespace wattune::search
