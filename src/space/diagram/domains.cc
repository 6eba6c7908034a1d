#include "space/diagram/domains.h"

#include <algorithm>

namespace wattune::inline v0_1::space {

bool Domains::any_empty() const {
  return std::ranges::any_of(values, [](const std::vector<std::uint16_t>& v) { return v.empty(); });
}

Range Domains::range(std::uint32_t variable) const {
  if (cells[variable].empty()) return Range::unknown();
  Range result = Range::of(cells[variable].front());
  for (const Cell& cell : cells[variable]) result = hull(result, Range::of(cell));
  return result;
}

std::vector<Range> static_ranges(const ConstraintGraph& graph, const Domains& domains) {
  std::vector<Range> ranges(graph.size());
  for (NodeId id = 0; id < graph.size(); ++id) {
    const GraphNode& node = graph[id];
    switch (node.operation) {
      case Operation::constant: ranges[id] = Range::of(node.constant); break;
      case Operation::variable: ranges[id] = domains.range(node.index); break;
      default: ranges[id] = range_of(graph, id, ranges);
    }
  }
  return ranges;
}

}  // namespace wattune::space
