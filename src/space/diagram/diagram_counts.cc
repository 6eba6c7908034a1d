// Computes figures of a diagram by one pass over its nodes.
#include <algorithm>

#include "space/diagram/diagram.h"

namespace wattune::inline v0_1::space {

std::vector<Uint128> Diagram::node_counts() const {
  std::vector<Uint128> counts(nodes(), 1);
  for (auto node = static_cast<std::uint32_t>(nodes() - 1); node-- > 0;) {
    const EdgeId last = end_edge(node) - 1;
    counts[node] = before(last) + counts[child(last)];
  }
  return counts;
}

std::vector<Uint128> Diagram::count_per_value(std::uint32_t parameter, std::size_t values) const {
  std::vector<Uint128> result(values, 0);
  if (fixed_[parameter]) {
    result[*fixed_[parameter]] = count_;
    return result;
  }
  const std::vector<Uint128> below = node_counts();
  std::vector<Uint128> paths(nodes(), 0);
  paths[root()] = 1;
  std::uint32_t node = root();
  std::uint32_t next_level = 1;
  for (std::uint32_t level_parameter : parameters_) {
    for (const std::uint32_t level_end = next_level; node < level_end; ++node) {
      for (EdgeId edge = first_edge(node); edge < end_edge(node); ++edge) {
        next_level = std::max(next_level, child(edge) + 1);
        paths[child(edge)] += paths[node];
        if (level_parameter == parameter) result[value(edge)] += paths[node] * below[child(edge)];
      }
    }
    if (level_parameter == parameter) break;
  }
  return result;
}

Uint128 Diagram::nearest(const ValueIndices& indices) const {
  // The fewest changes below each node are found bottom up. Then the walk goes down, and at each node takes the first
  // edge with the fewest changes.
  std::vector<std::uint32_t> level_of(nodes(), 0);
  for (std::uint32_t node = 0; node + 1 < nodes(); ++node) {
    for (EdgeId edge = first_edge(node); edge < end_edge(node); ++edge) level_of[child(edge)] = level_of[node] + 1;
  }
  std::vector<std::uint32_t> changes(nodes(), 0);
  const auto cost = [&](std::uint32_t node, EdgeId edge) {
    return changes[child(edge)] + (value(edge) == indices[parameters_[level_of[node]]] ? 0 : 1);
  };
  for (auto node = static_cast<std::uint32_t>(nodes() - 1); node-- > 0;) {
    changes[node] = cost(node, first_edge(node));
    for (EdgeId edge = first_edge(node); edge < end_edge(node); ++edge)
      changes[node] = std::min(changes[node], cost(node, edge));
  }
  Uint128 id = 0;
  for (std::uint32_t node = root(); node + 1 < nodes();) {
    EdgeId edge = first_edge(node);
    while (cost(node, edge) != changes[node]) ++edge;
    id += before(edge);
    node = child(edge);
  }
  return id;
}

}  // namespace wattune::space
