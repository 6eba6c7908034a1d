// Differential evolution (Storn, Price: Differential Evolution, Journal of Global Optimization 11, 1997): rand/1/bin,
// or best/1/bin.
//
// A trial takes each parameter, with probability CR, from base + F (a - b) of three other members, else from the member
// that it may replace. The trial replaces that member if it is not worse. If the trial's configuration is known
// already, a random one takes its place.
#include "search/strategies/strategies.h"
#include "search/strategies/swarm.h"

namespace wattune::inline v0_1::search {

namespace {

class DifferentialEvolution final : public Swarm {
 public:
  using Swarm::Swarm;

 private:
  static constexpr std::size_t kMembers = 4;  // the member itself and three other members

  Task<> search() override {
    std::vector<Particle> members = co_await start_swarm(std::max(kMembers, count_option("population")));
    while (members.size() >= kMembers) {
      std::vector<Coordinates> points;
      for (std::size_t i = 0; i < members.size(); ++i) points.push_back(trial(members, i));
      const std::vector<Particle> trials = co_await evaluate_points(std::move(points));
      for (std::size_t i = 0; i < members.size(); ++i) {
        if (trials[i].cost <= members[i].cost) members[i] = trials[i];
      }
    }
  }

  Coordinates trial(const std::vector<Particle>& members, std::size_t member) {
    const std::size_t first = option("best") > 0 ? best_of(members) : other(members, {member});
    const std::size_t second = other(members, {member, first});
    const std::size_t third = other(members, {member, first, second});
    Coordinates point = members[member].position;
    const std::size_t certain = random().below(point.size());
    for (std::size_t p = 0; p < point.size(); ++p) {
      if (p != certain && random().uniform() >= option("crossover_rate")) continue;
      const double difference = members[second].position[p] - members[third].position[p];
      point[p] = members[first].position[p] + option("weight") * difference;
    }
    // The point is moved onto the space, so that members do not drift away from the space.
    const ConfigurationId id = space().project(point);
    return coordinates(space(), visited(id) ? space().sample(random()) : id);
  }

  std::size_t other(const std::vector<Particle>& members, std::initializer_list<std::size_t> taken) {
    for (;;) {
      const std::size_t drawn = random().below(members.size());
      if (std::find(taken.begin(), taken.end(), drawn) == taken.end()) return drawn;
    }
  }
};

}  // namespace

std::unique_ptr<Strategy> make_differential_evolution(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<DifferentialEvolution>(space, options);
}

}  // namespace wattune::search
