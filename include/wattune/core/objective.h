// Objective: a metric that a search wants small or large.
#pragma once

#include <string>

namespace wattune {

struct Objective {
  std::string metric;  // by name: one of the spec's metrics, or `time`
  bool maximize = false;

  bool operator==(const Objective&) const = default;
};

}  // namespace wattune
