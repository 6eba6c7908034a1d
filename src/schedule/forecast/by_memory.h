// Splits a kernel's points at pairs of clocks into one span for each memory clock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "wattune/schedule/machine.h"

namespace wattune::inline v0_1::schedule {

// Returns the spans in the order of the points. Precondition: points of one memory clock lie together.
template <typename Point>
std::vector<std::span<Point>> by_memory(std::span<Point> points) {
  std::vector<std::span<Point>> parts;
  while (!points.empty()) {
    const auto next = std::ranges::find_if(
        points, [memory = points.front().memory](const AtClock& each) { return each.memory != memory; });
    parts.push_back(points.first(static_cast<std::size_t>(next - points.begin())));
    points = points.subspan(parts.back().size());
  }
  return parts;
}

}  // namespace wattune::schedule
