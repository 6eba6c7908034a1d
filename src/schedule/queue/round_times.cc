#include "wattune/schedule/round_times.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/student.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::schedule {

namespace {

constexpr double kConfidence = 0.95;  // confidence of all intervals of a table together
constexpr double kControlLimit = 0.02;
constexpr double kControlShare = 0.25;  // share of the claimed gain
constexpr double kRounding = 1e-9;      // largest difference of exact times that count as equal

std::size_t common_rounds(const RoundTimes& rounds, std::size_t one, std::size_t other) {
  return std::min(rounds.times[one].size(), rounds.times[other].size());
}

std::optional<std::vector<double>> log_ratios(const RoundTimes& rounds, std::size_t entrant, std::size_t base) {
  std::vector<double> logarithms;
  for (std::size_t round = 0; round < common_rounds(rounds, entrant, base); ++round) {
    const double ratio = rounds.times[base][round] / rounds.times[entrant][round];
    if (!(ratio > 0.0) || !std::isfinite(ratio)) return std::nullopt;
    logarithms.push_back(std::log(ratio));
  }
  return logarithms;
}

double mean_of(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

double standard_error(const std::vector<double>& numbers, double mean) {
  double squares = 0.0;
  for (const double number : numbers) squares += (number - mean) * (number - mean);
  return std::sqrt(squares / static_cast<double>(numbers.size() - 1) / static_cast<double>(numbers.size()));
}

// Returns the confidence that each interval must have, so that the intervals of all pairs of entrants hold together.
double confidence_of_each(const RoundTimes& rounds) {
  const auto entrants =
      static_cast<double>(std::ranges::count_if(rounds.times, [](const auto& its) { return !its.empty(); }));
  return 1.0 - (1.0 - kConfidence) / std::max(1.0, entrants * (entrants - 1.0) / 2.0);
}

std::vector<std::size_t> shuffled(std::size_t count, Random& random) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  for (std::size_t left = count; left > 1; --left) std::swap(numbers[left - 1], numbers[random.below(left)]);
  return numbers;
}

}  // namespace

std::optional<Gain> gain_over(const RoundTimes& rounds, std::size_t entrant, std::size_t base) {
  const auto logarithms = log_ratios(rounds, entrant, base);
  if (!logarithms || logarithms->empty() || (logarithms->size() == 1 && !rounds.is_exact)) return std::nullopt;
  const double mean = mean_of(*logarithms);
  if (rounds.is_exact) {
    const double gain = std::abs(mean) < kRounding ? 0.0 : std::expm1(mean);
    return Gain{gain, gain, gain};
  }
  const double half =
      student_quantile(confidence_of_each(rounds), logarithms->size() - 1) * standard_error(*logarithms, mean);
  return Gain{std::expm1(mean), std::expm1(mean - half), std::expm1(mean + half)};
}

std::optional<Gain> mean_gain(const std::vector<RoundTimes>& tables) {
  if (tables.empty()) return std::nullopt;
  RoundTimes mean{.times = {{}, {}}, .orders = {}, .is_exact = std::ranges::all_of(tables, &RoundTimes::is_exact)};
  std::size_t rounds = common_rounds(tables.front(), 0, 1);
  for (const RoundTimes& table : tables) rounds = std::min(rounds, common_rounds(table, 0, 1));
  for (std::size_t entrant = 0; entrant < 2; ++entrant)
    for (std::size_t round = 0; round < rounds; ++round) {
      double logarithms = 0.0;
      for (const RoundTimes& table : tables) logarithms += std::log(table.times[entrant][round].value());
      mean.times[entrant].emplace_back(std::exp(logarithms / static_cast<double>(tables.size())));
    }
  return gain_over(mean, 1, 0);
}

std::optional<Standing> standing_of(const RoundTimes& rounds) {
  std::vector<std::pair<double, std::size_t>> by_slowness;  // gains against the first entrant that can be compared
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < rounds.times.size(); ++i) {
    if (rounds.times[i].empty()) continue;
    if (!first) first = i;
    const auto gain = gain_over(rounds, i, *first);
    if (!gain) return std::nullopt;
    by_slowness.emplace_back(-gain->gain, i);
  }
  if (by_slowness.size() < 2) return std::nullopt;
  std::ranges::sort(by_slowness);
  Standing standing{.fastest = by_slowness.front().second};
  for (const auto& [slowness, entrant] : by_slowness)
    if (entrant != standing.fastest && !gain_over(rounds, standing.fastest, entrant)->excludes_zero())
      standing.ties.push_back(entrant);
  return standing;
}

Control control_of(double off, double claimed_gain) {
  return {.off = off, .limit = std::max(kControlLimit, kControlShare * std::abs(claimed_gain))};
}

// Draws orders by Williams' design: rows of a Latin square in which all neighbours differ, with drawn names and in a
// drawn order.
std::vector<std::vector<std::size_t>> balanced_orders(std::size_t entrants, std::size_t rounds, std::uint64_t seed) {
  Random random(seed);
  const std::vector<std::size_t> names = shuffled(entrants, random);
  std::vector<std::size_t> shifts;
  std::vector<std::vector<std::size_t>> orders(rounds);
  for (std::vector<std::size_t>& order : orders) {
    if (shifts.empty()) shifts = shuffled(entrants, random);
    for (std::size_t place = 0; place < entrants; ++place) {
      const std::size_t zigzag = place % 2 == 0 ? place / 2 : entrants - (place + 1) / 2;
      order.push_back(names[(zigzag + shifts.back()) % entrants]);
    }
    if (!shifts.empty()) shifts.pop_back();
  }
  return orders;
}

}  // namespace wattune::schedule
