// BuildOptions and BuildReport: what building a search space may cost, and what it did cost. Values; owned.
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
  // States (of 32 bytes; larger ones count as several) that the builder may create per order of the parameters before
  // it sets the constraint that needs them aside and falls back.
  std::size_t state_budget = 1'000'000;
  // Up to that many configurations of the other constraints are tested one by one; beyond, the space is lazy.
  std::size_t materialise_limit = 20'000'000;
  // Asked every few milliseconds: true ends the build with the code cancelled. Nothing else that it says changes a
  // space.
  std::function<bool()> cancelled = {};
};

struct BuildReport {
  Nanoseconds build_time;
  std::size_t nodes = 0;
  std::size_t edges = 0;
  std::size_t bytes = 0;           // of the finished diagram
  std::size_t states = 0;          // prefixes the builder looked at
  std::vector<std::string> order;  // parameters from the root down
  std::string fallback;            // why and how the exact diagram was not used; empty normally
};

}  // namespace wattune::space
