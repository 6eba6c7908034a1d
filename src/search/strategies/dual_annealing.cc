// Dual annealing: generalised simulated annealing with a local search from each better configuration that it finds.
// This follows Xiang, Sun, Fan, Gong: Generalized simulated annealing algorithm and its application to the Thomson
// model, Physics Letters A 233, 1997. The visiting distribution is that of Tsallis, Stariolo: Generalized simulated
// annealing, Physica A 233, 1996.
//
// The lengths of jumps follow a distribution with heavy tails, which narrows as the temperature falls. A round first
// moves all coordinates at once, then one after the other, as often as there are parameters. A better configuration is
// accepted, a worse one with a probability of (1 - (1 - q_a) dE / T)^(1 / (1 - q_a)), where dE is a share of the best
// objective. A coordinate beyond one end of its values re-enters at the other end.
#include <cmath>
#include <numbers>

#include "search/strategies/coordinates.h"
#include "search/strategies/local_search.h"
#include "search/strategies/random_choice.h"
#include "search/strategies/strategies.h"

namespace wattune::inline v0_1::search {

namespace {

// The visiting distribution of Tsallis and Stariolo at one temperature. It is sampled by the method of Schanze (Physics
// Letters A 360, 2006): a normal variable is divided by a power of another normal variable.
class VisitingDistribution {
 public:
  VisitingDistribution(double q, double temperature) : power_((q - 1.0) / (3.0 - q)) {
    const double a = std::pow(temperature, 1.0 / (q - 1.0)) * std::pow(q - 1.0, 4.0 - q) * std::sqrt(std::numbers::pi) /
                     (std::pow(2.0, (2.0 - q) / (q - 1.0)) * (3.0 - q));
    const double b = 1.0 / (q - 1.0) - 0.5;
    const double c = std::numbers::pi * (1.0 - b) / (std::sin(std::numbers::pi * (1.0 - b)) * std::tgamma(2.0 - b));
    scale_ = std::pow(a / c, power_);
  }
  double draw(Random& random) const {
    const double step = scale_ * normal(random) / std::pow(std::abs(normal(random)), power_);
    return std::isfinite(step) ? std::fmod(step, kTail) : 0.0;
  }

 private:
  static constexpr double kTail = 1e8;

  double power_;
  double scale_ = 0.0;
};

class DualAnnealing final : public LocalSearch {
 public:
  using LocalSearch::LocalSearch;

 private:
  Task<> search() override {
    const double q = option("visit");
    const double initial = option("temperature");
    const std::optional<Point> start = co_await find_start();
    if (!start) co_return;
    const Coordinates extent = extents(space());
    Point here = *start;
    Point record = here;
    double temperature = initial;
    for (double step = 1.0; temperature >= option("restart") * initial; ++step) {
      const VisitingDistribution visiting(q, temperature);
      const double tolerance = temperature / step;
      bool improved = false;
      for (std::size_t move = 0; move < 2 * extent.size(); ++move) {
        const ConfigurationId next = visit(here.id, extent, visiting, move);
        const Outcome outcome = co_await evaluate(next);
        if (!outcome || !accepts(*outcome - here.objective, tolerance)) continue;
        here = {next, *outcome};
        if (here.objective >= record.objective) continue;
        record = here;
        improved = true;
      }
      if (improved) here = record = co_await first_improvement(record);
      temperature = initial * (std::pow(2.0, q - 1.0) - 1.0) / (std::pow(2.0 + step, q - 1.0) - 1.0);
    }
  }

  // Returns the next configuration. The first moves of a round change every coordinate, and each further move changes
  // one coordinate.
  ConfigurationId visit(ConfigurationId id, const Coordinates& extent, const VisitingDistribution& visiting,
                        std::size_t move) {
    Coordinates point = coordinates(space(), id);
    for (std::size_t p = 0; p < point.size(); ++p) {
      if (move >= extent.size() && move - extent.size() != p) continue;
      const double width = extent[p] + 1.0;
      const double moved = std::fmod(point[p] + 0.5 + visiting.draw(random()), width);
      point[p] = (moved < 0.0 ? moved + width : moved) - 0.5;
    }
    return space().project(point);
  }

  bool accepts(double loss, double tolerance) {
    if (loss < 0.0) return true;
    const double exponent = 1.0 - option("accept");
    const double base = 1.0 - exponent * loss / (best()->objective * tolerance);
    return base > 0.0 && random().uniform() <= std::pow(base, 1.0 / exponent);
  }
};

}  // namespace

std::unique_ptr<Strategy> make_dual_annealing(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<DualAnnealing>(space, options);
}

}  // namespace wattune::search
