#include "slice/components.h"

#include <algorithm>

namespace wattune::inline v0_1::slice {

Edges reversed(const Edges& edges) {
  Edges result(edges.size());
  for (std::uint32_t node = 0; node < edges.size(); ++node)
    for (const std::uint32_t successor : edges[node]) result[successor].push_back(node);
  return result;
}

std::vector<std::vector<std::uint32_t>> Components::members() const {
  std::vector<std::vector<std::uint32_t>> all(is_loop.size());
  for (std::uint32_t node = 0; node < of.size(); ++node) all[of[node]].push_back(node);
  return all;
}

// Finds the strongly connected components by Kosaraju's algorithm, which walks the graph twice.
Components components_of(const Edges& edges) {
  const Edges predecessors = reversed(edges);
  std::vector<std::uint32_t> finished;
  std::vector<bool> seen(edges.size(), false);
  for (std::uint32_t i = 0; i < edges.size(); ++i)
    walk_in_depth(edges, i, seen, [&](std::uint32_t node) { finished.push_back(node); });
  Components components{std::vector<std::uint32_t>(edges.size(), 0), {}};
  seen.assign(edges.size(), false);
  for (auto root = finished.rbegin(); root != finished.rend(); ++root) {
    if (seen[*root]) continue;
    std::size_t members = 0;
    walk_in_depth(predecessors, *root, seen, [&](std::uint32_t node) {
      components.of[node] = static_cast<std::uint32_t>(components.is_loop.size());
      ++members;
    });
    components.is_loop.push_back(members > 1 || std::ranges::count(edges[*root], *root) > 0);
  }
  return components;
}

}  // namespace wattune::slice
