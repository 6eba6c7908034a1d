// Space builder: from a compiled problem to the diagrams of its components.
//
// Filters the domains, finds the components, builds each, settles what faults mean, and falls back where a
// constraint ties too much together. A constraint that faults (divides by zero, overflows) excludes
// nothing for that; it is an error only if it faults at a configuration that every other constraint admits.
#pragma once

#include <string>
#include <vector>

#include "space/component.h"
#include "space/problem.h"
#include "wattune/space/search_space.h"

namespace wattune::space {

struct BuiltSpace {
  Domains domains;                         // filtered
  std::vector<LayeredDiagram> components;  // in the order of their first parameters; none of them empty
  bool empty = false;                      // no configuration is valid; components means nothing then
  std::vector<std::uint32_t> unchecked;    // terms that the diagrams do not enforce: configurations must be tested
  std::string fallback;                    // BuildReport::fallback
  std::size_t states = 0;
};

// Builds the space of some of the problem's terms.
Result<BuiltSpace> build_space(const Problem& problem, std::span<const std::uint32_t> terms,
                               const BuildOptions& options);

}  // namespace wattune::space
