// A decision diagram under construction, with one table of nodes per variable.
//
// A node is the list of its edges. An edge has the position of a value in the variable's domain, and the node that it
// leads to in the next layer. Edges of the last layer lead to node 0, the end.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "space/diagram/budget.h"

namespace wattune::inline v0_1::space {

// The number that stands for no node.
inline constexpr std::uint32_t kNoNode = ~std::uint32_t{0};

struct Edge {
  std::uint32_t value = 0;  // position in the variable's domain
  std::uint32_t child = 0;
};

struct LayeredDiagram {
  struct Layer {
    std::uint32_t variable = 0;
    std::vector<std::uint32_t> first_edge{0};  // first edge of each node and of the end
    std::vector<Edge> edges;

    std::size_t nodes() const { return first_edge.size() - 1; }
    std::span<const Edge> node(std::size_t i) const {
      return {edges.data() + first_edge[i], edges.data() + first_edge[i + 1]};
    }
    void close_node() { first_edge.push_back(static_cast<std::uint32_t>(edges.size())); }
  };

  // The layers from the root down; the first has one node, the root. Without layers there is one configuration, of no
  // variables.
  std::vector<Layer> layers;
  bool empty = false;  // true if there is no configuration; then `layers` has no meaning

  std::size_t nodes() const;
  std::size_t edges() const;
};

// A table that merges equal nodes of one layer. insert() returns the node's number in the table, whether the node is
// new or not.
class NodeTable {
 public:
  explicit NodeTable(std::uint32_t variable);

  std::uint32_t insert(std::span<const Edge> edges);
  const LayeredDiagram::Layer& layer() const { return layer_; }
  LayeredDiagram::Layer take() && { return std::move(layer_); }

 private:
  std::uint32_t& find_slot(std::span<const Edge> edges);
  void grow();

  LayeredDiagram::Layer layer_;
  std::vector<std::uint32_t> slots_;
};

// Removes the nodes from which the end cannot be reached, and merges equal nodes, from the bottom up. No smaller
// diagram has the same configurations in the same order of variables.
void reduce(LayeredDiagram& diagram);

}  // namespace wattune::space
