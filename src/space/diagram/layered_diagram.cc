#include "space/diagram/layered_diagram.h"

#include <algorithm>

#include "space/diagram/key_set.h"

namespace wattune::inline v0_1::space {

namespace {

constexpr std::size_t kInitialSlots = 64;

std::uint64_t hash_of(std::span<const Edge> edges) {
  std::uint64_t hash = edges.size();
  for (const Edge& edge : edges) hash = mix_bits(hash, (std::uint64_t{edge.value} << 32) | edge.child);
  return hash;
}

bool same(std::span<const Edge> a, std::span<const Edge> b) {
  return std::ranges::equal(a, b,
                            [](const Edge& x, const Edge& y) { return x.value == y.value && x.child == y.child; });
}

}  // namespace

std::size_t LayeredDiagram::nodes() const {
  std::size_t total = 0;
  for (const Layer& layer : layers) total += layer.nodes();
  return total;
}

std::size_t LayeredDiagram::edges() const {
  std::size_t total = 0;
  for (const Layer& layer : layers) total += layer.edges.size();
  return total;
}

NodeTable::NodeTable(std::uint32_t variable) : slots_(kInitialSlots, kNoNode) { layer_.variable = variable; }

std::uint32_t NodeTable::insert(std::span<const Edge> edges) {
  if (layer_.nodes() * 2 >= slots_.size()) grow();
  std::uint32_t& slot = find_slot(edges);
  if (slot == kNoNode) {
    slot = static_cast<std::uint32_t>(layer_.nodes());
    layer_.edges.insert(layer_.edges.end(), edges.begin(), edges.end());
    layer_.close_node();
  }
  return slot;
}

std::uint32_t& NodeTable::find_slot(std::span<const Edge> edges) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash_of(edges) & mask;
  while (slots_[i] != kNoNode && !same(layer_.node(slots_[i]), edges)) i = (i + 1) & mask;
  return slots_[i];
}

void NodeTable::grow() {
  slots_.assign(slots_.size() * 4, kNoNode);
  for (std::size_t i = 0; i < layer_.nodes(); ++i) find_slot(layer_.node(i)) = static_cast<std::uint32_t>(i);
}

void reduce(LayeredDiagram& diagram) {
  std::vector<std::uint32_t> below{0};  // by node of the layer below: its merged node; at first, only the end
  for (std::size_t l = diagram.layers.size(); l-- > 0;) {
    LayeredDiagram::Layer& layer = diagram.layers[l];
    NodeTable table(layer.variable);
    std::vector<std::uint32_t> merged;
    merged.reserve(layer.nodes());
    std::vector<Edge> edges;
    for (std::size_t i = 0; i < layer.nodes(); ++i) {
      edges.clear();
      for (const Edge& edge : layer.node(i)) {
        if (below[edge.child] != kNoNode) edges.push_back({edge.value, below[edge.child]});
      }
      merged.push_back(edges.empty() ? kNoNode : table.insert(edges));
    }
    layer = std::move(table).take();
    below = std::move(merged);
  }
  diagram.empty = diagram.empty || below.front() == kNoNode;
}

}  // namespace wattune::space
