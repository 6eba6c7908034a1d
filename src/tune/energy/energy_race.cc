#include "tune/energy/energy_race.h"

#include <cmath>

namespace wattune::inline v0_1::tune {

namespace {

constexpr double kSureShare = 0.75;  // the least share of the least measured energy that a configuration takes

}  // namespace

void LeastDynamicEnergy::learn(const Setting& setting, Joules dynamic) {
  dynamic = std::max(dynamic, Joules());
  const auto found = std::ranges::find(known_, setting, &std::pair<Setting, Joules>::first);
  if (found == known_.end())
    known_.emplace_back(setting, dynamic);
  else
    found->second = std::min(found->second, dynamic);
}

std::optional<Joules> LeastDynamicEnergy::at(const Setting& setting) const {
  const auto found = std::ranges::find(known_, setting, &std::pair<Setting, Joules>::first);
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

// Returns a function that computes, from the time of a run, the energy with which the run is as good as the objective
// `best`. All objectives that race are multiples of the energy or, if maximised, of its inverse. The function returns
// nullopt if the objective needs more than energy and time.
MostEnergy as_good_as(double best, const Metrics& metrics, const Configuration& configuration) {
  return [best, &metrics, configuration](Nanoseconds time) -> std::optional<Joules> {
    const Result<double> of_a_joule = metrics.objective({{"energy", 1.0, "J"}}, time, configuration);
    if (!of_a_joule) return std::nullopt;
    const Joules energy(best < 0.0 ? *of_a_joule / best : best / *of_a_joule);
    return std::isfinite(energy.value()) && energy > Joules() ? std::optional(energy) : std::nullopt;
  };
}

EnergyRace::EnergyRace(MostEnergy most_energy, const Board& board, Nanoseconds longest)
    : most_energy_(std::move(most_energy)),
      idle_(board.idle),
      dynamic_(kSureShare * board.least_dynamic.value_or(Joules())),
      longest_time_(std::min(longest, find_longest_time())) {}

bool EnergyRace::may_win(Nanoseconds time) const {
  const std::optional<Joules> most = most_energy(time);
  return !most || least_energy(time) <= *most;
}

// Finds the longest time that may win. The least energy of a run grows with its time, and the most energy with which
// the run may win does not grow. So there is exactly one longest time. The search doubles the time until it is too
// long, then halves the interval.
Nanoseconds EnergyRace::find_longest_time() const {
  constexpr Nanoseconds kLongestSearchedTime = nanoseconds_from_seconds(86'400);
  constexpr int kHalvings = 30;
  Nanoseconds high = nanoseconds_from_ms(0.001);
  while (may_win(high) && high < kLongestSearchedTime) high = 2.0 * high;
  if (high >= kLongestSearchedTime) return Nanoseconds(std::numeric_limits<double>::infinity());
  Nanoseconds low;
  for (int i = 0; i < kHalvings; ++i) {
    const Nanoseconds middle = (low + high) / 2.0;
    (may_win(middle) ? low : high) = middle;
  }
  return high;
}

}  // namespace wattune::tune
