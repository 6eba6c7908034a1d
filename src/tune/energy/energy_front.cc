#include "tune/energy/energy_front.h"

#include <algorithm>
#include <limits>

namespace wattune::inline v0_1::tune {

void EnergyFront::learn(const Observation& observation) {
  const Nanoseconds time = observation.statistics->interval_high;
  fastest_ = std::min(time, fastest_.value_or(time));
  const auto energy = std::ranges::find(observation.metrics, "energy", &Metric::name);
  if (energy == observation.metrics.end()) return;
  const Point point{time, Joules(energy->value + energy->uncertainty.value_or(0.0))};
  const std::optional<Joules> known = most_energy(time);
  if (known && *known <= point.energy) return;
  std::erase_if(points_, [&](const Point& each) { return each.time >= point.time && each.energy >= point.energy; });
  points_.push_back(point);
}

std::optional<Joules> EnergyFront::most_energy(Nanoseconds time) const {
  std::optional<Joules> least;
  for (const Point& point : points_)
    if (point.time <= time) least = std::min(point.energy, least.value_or(point.energy));
  return least;
}

Nanoseconds EnergyFront::longest_time() const {
  if (!slowdown_ || !fastest_) return Nanoseconds(std::numeric_limits<double>::infinity());
  return *fastest_ * (1.0 + *slowdown_);
}

}  // namespace wattune::tune
