#include "search/methods/clock_search.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace wattune::inline v0_1::search {

namespace {

constexpr std::size_t kLeastMeasuredClocks = 4;
constexpr std::size_t kLeastFirstClocks = 3;
constexpr std::size_t kMeasuredPart = 3;  // one of this many clocks is measured
// Share of the highest clock. If the lowest clock is at least this share, it is one of the first clocks to be measured,
// since it may well be the best. Any share from 0.4 to 0.7 did equally well on randomly drawn boards.
constexpr double kNarrowTable = 0.6;

using MeasuredClock = EnergyByClock::value_type;

// Returns the first clock of the evenly spaced ones, from the highest down, that is not measured yet. Two of five
// planned clocks are such evenly spaced ones. With half or a third of the planned clocks, the results on randomly drawn
// boards were worse.
std::optional<std::size_t> first_clock(std::span<const double> clocks, const EnergyByClock& measured,
                                       std::size_t planned) {
  const std::size_t last = clocks.size() - 1;
  const std::size_t first = std::max(kLeastFirstClocks, planned * 2 / 5);
  const std::size_t used = 2 * (first - 1);                                                    // half steps
  const std::size_t halves = clocks.front() < kNarrowTable * clocks.back() ? used + 1 : used;  // of the whole table
  for (std::size_t down = 0; down <= used; down += 2) {
    const std::size_t place = last - (2 * down * last + halves) / (2 * halves);
    if (!measured.contains(place)) return place;
  }
  return std::nullopt;
}

// Returns the clock at the extreme point of the parabola through three points; NaN if the parabola has none.
double valley(std::span<const double> clocks, const MeasuredClock& low, const MeasuredClock& middle,
              const MeasuredClock& high) {
  const double to_low = clocks[middle.first] - clocks[low.first];
  const double to_high = clocks[middle.first] - clocks[high.first];
  const double over_high = to_low * (middle.second - high.second);
  const double over_low = to_high * (middle.second - low.second);
  return clocks[middle.first] - 0.5 * (to_low * over_high - to_high * over_low) / (over_high - over_low);
}

// Returns the position, from `begin` to before `end`, of the clock that is nearest to `wanted`. Precondition: `wanted`
// is finite.
std::size_t nearest_clock(std::span<const double> clocks, std::size_t begin, std::size_t end, double wanted) {
  std::size_t nearest = begin;
  for (std::size_t i = begin; i < end; ++i)
    if (std::abs(clocks[i] - wanted) < std::abs(clocks[nearest] - wanted)) nearest = i;
  return nearest;
}

// Returns the position in the middle of the wider gap beside the best clock, or of the upper gap if both are equally
// wide. Returns nullopt if there is no gap.
std::optional<std::size_t> middle_of_wider_gap(std::span<const double> clocks, std::size_t low, std::size_t best,
                                               std::size_t high) {
  const double below = best - low > 1 ? clocks[best] - clocks[low] : 0.0;
  const double above = high - best > 1 ? clocks[high] - clocks[best] : 0.0;
  if (below == 0.0 && above == 0.0) return std::nullopt;
  return below > above ? (low + best + 1) / 2 : (best + high) / 2;
}

// Returns the unmeasured position that is nearest to the best one, the higher of two that are equally near. Returns
// nullopt if all positions are measured.
std::optional<std::size_t> nearest_unmeasured(std::size_t clocks, const EnergyByClock& measured, std::size_t best) {
  for (std::size_t away = 1; away < clocks; ++away) {
    if (best + away < clocks && !measured.contains(best + away)) return best + away;
    if (best >= away && !measured.contains(best - away)) return best - away;
  }
  return std::nullopt;
}

// True if the energy falls at least as fast below the middle of three points as above it. A parabola through them then
// has no minimum.
bool falls_ever_faster(std::span<const double> clocks, const MeasuredClock& low, const MeasuredClock& middle,
                       const MeasuredClock& high) {
  const double below = (middle.second - low.second) / (clocks[middle.first] - clocks[low.first]);
  const double above = (high.second - middle.second) / (clocks[high.first] - clocks[middle.first]);
  return below >= above;
}

// Returns the position to measure next if the lowest measured clock is the best. It is the clock nearest to the
// minimum of the parabola through the three lowest measured clocks. If the parabola has no minimum, it is the lowest
// clock of all.
std::size_t below_the_lowest(std::span<const double> clocks, const EnergyByClock& measured) {
  const auto best = measured.begin();
  if (measured.size() < 3) return 0;
  const auto second = std::next(best);
  const auto third = std::next(second);
  if (falls_ever_faster(clocks, *best, *second, *third)) return 0;
  const double wanted = valley(clocks, *best, *second, *third);
  if (!std::isfinite(wanted)) return 0;
  const std::size_t below = nearest_clock(clocks, 0, best->first, wanted);
  if (best->first + 1 == second->first) return below;
  const std::size_t above = nearest_clock(clocks, best->first + 1, second->first, wanted);
  return std::abs(clocks[below] - wanted) <= std::abs(clocks[above] - wanted) ? below : above;
}

}  // namespace

std::size_t clocks_to_measure(std::size_t clocks, std::size_t most) {
  return std::min({clocks, most, std::max(kLeastMeasuredClocks, clocks / kMeasuredPart)});
}

std::optional<std::size_t> next_clock(std::span<const double> clocks, const EnergyByClock& measured,
                                      std::size_t planned) {
  if (clocks.empty() || measured.size() >= clocks.size()) return std::nullopt;
  if (const auto first = first_clock(clocks, measured, planned)) return first;
  const auto best = std::ranges::min_element(measured, {}, &MeasuredClock::second);
  if (best == measured.begin() && best->first > 0) return below_the_lowest(clocks, measured);
  if (best == measured.begin() || best == std::prev(measured.end()))
    return nearest_unmeasured(clocks.size(), measured, best->first);
  const std::size_t low = std::prev(best)->first;
  const std::size_t high = std::next(best)->first;
  const double wanted = valley(clocks, *std::prev(best), *best, *std::next(best));
  if (std::isfinite(wanted)) {
    const std::size_t place = nearest_clock(clocks, low + 1, high, wanted);
    if (!measured.contains(place)) return place;
  }
  const auto middle = middle_of_wider_gap(clocks, low, best->first, high);
  return middle ? middle : nearest_unmeasured(clocks.size(), measured, best->first);
}

}  // namespace wattune::search
