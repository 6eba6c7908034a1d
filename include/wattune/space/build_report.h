// The limits on the cost of building a search space, and the cost that arose. Values that own their parts.
//
//   BuildOptions options;
//   options.state_budget = 100'000;
//   space.report().nodes
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "wattune/core/units.h"

namespace wattune::space {

struct BuildOptions {
  // Most states that the builder may create per order of the parameters (a state has 32 bytes; larger ones count as
  // several). Beyond that it sets aside the constraint that needs them, and falls back.
  std::size_t state_budget = 1'000'000;
  // Most configurations of the other constraints that are then tested one by one. If there are more, the space is lazy.
  std::size_t materialise_limit = 20'000'000;
  // A function that is called every few milliseconds. If it returns true, the build ends with the code cancelled. It
  // has no other effect on the space.
  std::function<bool()> cancelled = {};
};

struct BuildReport {
  Nanoseconds build_time;
  std::size_t nodes = 0;
  std::size_t edges = 0;
  std::size_t bytes = 0;           // of the finished diagram
  std::size_t states = 0;          // prefixes that the builder looked at
  std::vector<std::string> order;  // parameters from the root down
  std::string fallback;            // why the exact diagram was not used, and the remedy; normally empty
};

}  // namespace wattune::space
