// The order in which walks over block shapes try shapes and clocks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "wattune/space/search_space.h"

namespace wattune::inline v0_1::search {

// Returns the candidates, the most promising first: by occupancy, and at equal occupancy the larger block first. Leaves
// out candidates with less than `least_occupancy` of the best occupancy.
template <typename Candidate>
std::vector<Candidate> most_promising_first(std::vector<Candidate> candidates, double least_occupancy) {
  double best = 0.0;
  for (const Candidate& each : candidates) best = std::max(best, each.occupancy);
  std::erase_if(candidates, [&](const Candidate& each) { return each.occupancy < least_occupancy * best; });
  std::ranges::stable_sort(candidates, [](const Candidate& a, const Candidate& b) {
    return a.occupancy != b.occupancy ? a.occupancy > b.occupancy : a.threads > b.threads;
  });
  return candidates;
}

// Returns the position of the graphics clock among the parameters; nullopt if no graphics clock varies.
inline std::optional<std::size_t> varied_clock(const std::vector<Parameter>& parameters) {
  for (std::size_t p = 0; p < parameters.size(); ++p)
    if (parameters[p].role == ParameterRole::graphics_clock && parameters[p].values.size() > 1) return p;
  return std::nullopt;
}

// Returns the positions of the clock's values, the highest first, or with `all` false only that of the highest. If no
// clock varies, returns a single position, which is never used.
inline std::vector<std::uint16_t> descending_clocks(const std::vector<Parameter>& parameters, bool all) {
  const std::optional<std::size_t> clock = varied_clock(parameters);
  if (!clock) return {0};
  const std::vector<Value>& values = parameters[*clock].values;
  std::vector<std::uint16_t> places(values.size());
  for (std::uint16_t place = 0; place < values.size(); ++place) places[place] = place;
  std::ranges::sort(places, std::ranges::greater(),
                    [&](std::uint16_t place) { return values[place].is_number() ? values[place].as_real() : 0.0; });
  if (!all) places.resize(1);
  return places;
}

}  // namespace wattune::search
