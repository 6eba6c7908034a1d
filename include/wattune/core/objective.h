// A metric that a search minimises or maximises.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace wattune {

struct Objective {
  std::string metric;  // by name: one of the spec's metrics, or `time`
  bool maximize = false;
  // The slowdown limit, which only the first objective has. A configuration counts only if it takes at most this share
  // longer than the fastest known one (0.05 for 5 %). It may cease to count when a faster one is found. All count
  // without a limit.
  std::optional<double> slowdown = {};

  bool operator==(const Objective&) const = default;
};

// Returns the slowdown limit of the first objective, which leads the search.
inline std::optional<double> slowdown_of(const std::vector<Objective>& objectives) {
  return objectives.empty() ? std::nullopt : objectives.front().slowdown;
}

}  // namespace wattune
