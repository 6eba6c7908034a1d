// Finds the cycles of a directed graph, and for each node the union of the sets of the nodes that it reaches. No
// function here is recursive, so that long paths need no deep stack.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace wattune::inline v0_1::slice {

using Edges = std::vector<std::vector<std::uint32_t>>;  // for each node, its direct successors

Edges reversed(const Edges& edges);

// Walks depth-first from `root` and calls `leave` for each node after all its successors. Skips nodes that `seen`
// marks.
template <typename Leave>
void walk_in_depth(const Edges& edges, std::uint32_t root, std::vector<bool>& seen, const Leave& leave) {
  if (seen[root]) return;
  std::vector<std::pair<std::uint32_t, std::size_t>> path = {{root, 0}};
  seen[root] = true;
  while (!path.empty()) {
    auto& [node, next] = path.back();
    if (next == edges[node].size()) {
      leave(node);
      path.pop_back();
      continue;
    }
    const std::uint32_t successor = edges[node][next++];
    if (seen[successor]) continue;
    seen[successor] = true;
    path.emplace_back(successor, 0);
  }
}

// Strongly connected components, in topological order: no edge leads to a component with a smaller number.
struct Components {
  std::vector<std::uint32_t> of;  // number of the component of each node
  std::vector<bool> is_loop;      // by component: true if it contains a cycle

  bool in_loop(std::uint32_t node) const { return is_loop[of[node]]; }
  // Returns the nodes of each component.
  std::vector<std::vector<std::uint32_t>> members() const;
};

Components components_of(const Edges& edges);

// Returns for each node the union of its own set and the sets of all nodes that it reaches. Forms one union for each
// node and each edge.
template <typename Set>
std::vector<Set> gathered(const Edges& edges, const std::vector<Set>& own) {
  const Components components = components_of(edges);
  const auto members = components.members();
  std::vector<Set> sets(members.size());
  for (std::size_t component = members.size(); component-- > 0;)
    for (const std::uint32_t node : members[component]) {
      sets[component] |= own[node];
      for (const std::uint32_t successor : edges[node])
        if (components.of[successor] != component) sets[component] |= sets[components.of[successor]];
    }
  std::vector<Set> all;
  for (const std::uint32_t component : components.of) all.push_back(sets[component]);
  return all;
}

}  // namespace wattune::slice
