// The values that each variable can still take.
#pragma once

#include <cstdint>
#include <vector>

#include "space/diagram/constraint_graph.h"
#include "space/expression/range.h"

namespace wattune::inline v0_1::space {

struct Domains {
  std::vector<std::vector<std::uint16_t>> values;  // for each variable the positions in its parameter's list, ascending
  std::vector<std::vector<Cell>> cells;            // for each variable the cells of `values`

  std::size_t width(std::uint32_t variable) const { return values[variable].size(); }
  bool any_empty() const;
  Range range(std::uint32_t variable) const;
};

// Returns the range of every node of the graph over all assignments of the domains.
std::vector<Range> static_ranges(const ConstraintGraph& graph, const Domains& domains);

}  // namespace wattune::space
