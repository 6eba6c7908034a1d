// Objective: a metric that a search wants small or large.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace wattune {

struct Objective {
  std::string metric;  // by name: one of the spec's metrics, or `time`
  bool maximize = false;
  // Of the first objective: only what takes at most this share longer than the fastest that is known counts (0.05 for
  // 5 %), so that what counted may count no more when a faster one is found. None: all counts.
  std::optional<double> slowdown = {};

  bool operator==(const Objective&) const = default;
};

// That of the first, which leads the search.
inline std::optional<double> slowdown_of(const std::vector<Objective>& objectives) {
  return objectives.empty() ? std::nullopt : objectives.front().slowdown;
}

}  // namespace wattune
