#include "space/diagram/restriction.h"

#include <algorithm>

namespace wattune::inline v0_1::space {

namespace {

class Restrictor {
 public:
  Restrictor(const LayeredDiagram& relaxed, const ConstraintProgram& program, const Domains& domains,
             std::size_t max_edges, StopSignal& stop)
      : relaxed_(relaxed),
        program_(program),
        domains_(domains),
        edges_left_(max_edges),
        stop_(stop),
        cells_(program.initial_cells()) {
    for (const LayeredDiagram::Layer& layer : relaxed.layers) {
      tables_.emplace_back(layer.variable);
      copies_.emplace_back(layer.nodes(), kNoNode);
    }
    path_.resize(relaxed.layers.size());
    if (!program.always_faulty.empty()) pending_fault_ = program.always_faulty.front();
  }

  std::optional<Restriction> run() {
    Restriction result;
    result.diagram.empty = relaxed_.empty || program_.contradiction || rebuild(0, 0) == kNoNode;
    if (edges_left_ == 0 || stop_.is_given()) return std::nullopt;
    for (NodeTable& table : tables_) result.diagram.layers.push_back(std::move(table).take());
    result.fault = std::move(fault_);
    return result;
  }

 private:
  // True if at least one term is still open when the levels before l are assigned.
  bool open_at(std::size_t l) const { return l < program_.levels.size() && !program_.levels[l].open_roots.empty(); }

  // Returns the new node that replaces node i of layer l on the current path. Returns kNoNode if no path below that
  // node passes.
  std::uint32_t rebuild(std::size_t l, std::uint32_t i) {
    if (!open_at(l)) {
      note_fault(l, i);
      return copy(l, i);
    }
    const ConstraintProgram::Level& level = program_.levels[l];
    const std::optional<std::uint32_t> fault_above = pending_fault_;
    std::vector<Edge> edges;
    for (const Edge& edge : relaxed_.layers[l].node(i)) {
      if (edges_left_ == 0 || stop_.is_given()) return kNoNode;
      path_[l] = edge.value;
      pending_fault_ = fault_above;
      if (!assign(level, domains_.cells[level.variable][edge.value])) continue;
      const std::uint32_t child = rebuild(l + 1, edge.child);
      if (child != kNoNode) edges.push_back({edge.value, child});
    }
    pending_fault_ = fault_above;
    return edges.empty() ? kNoNode : insert(l, edges);
  }

  // Copies the node into the new tables, and returns its number there.
  std::uint32_t copy(std::size_t l, std::uint32_t i) {
    if (l == relaxed_.layers.size()) return 0;
    if (copies_[l][i] == kNoNode) {
      std::vector<Edge> edges;
      for (const Edge& edge : relaxed_.layers[l].node(i)) edges.push_back({edge.value, copy(l + 1, edge.child)});
      copies_[l][i] = insert(l, edges);
    }
    return copies_[l][i];
  }

  std::uint32_t insert(std::size_t l, const std::vector<Edge>& edges) {
    const std::size_t before = tables_[l].layer().edges.size();
    const std::uint32_t node = tables_[l].insert(edges);
    const std::size_t added = tables_[l].layer().edges.size() - before;
    edges_left_ -= std::min(edges_left_, added);
    return node;
  }

  bool assign(const ConstraintProgram::Level& level, const Cell& value) {
    cells_[level.variable_node] = value;
    for (NodeId id : level.closing) cells_[id] = program_.graph.evaluate(id, cells_);
    for (std::uint32_t i : level.roots) {
      const Root& root = program_.roots[i];
      if (!passes(cells_[root.node], root.rule)) return false;
      if (cells_[root.node].state == Cell::State::fault) pending_fault_ = root.term;
    }
    return true;
  }

  // Records a fault if a term faulted on the path to node i of layer l. All other terms hold on every path below the
  // node, so no term excludes the fault.
  void note_fault(std::size_t l, std::uint32_t i) {
    if (!pending_fault_ || fault_) return;
    for (; l < path_.size(); ++l) {
      const Edge& edge = relaxed_.layers[l].node(i).front();
      path_[l] = edge.value;
      i = edge.child;
    }
    fault_ = FaultFound{*pending_fault_, {}};
    for (l = 0; l < path_.size(); ++l) {
      const std::uint32_t variable = relaxed_.layers[l].variable;
      fault_->assignment.emplace_back(variable, domains_.values[variable][path_[l]]);
    }
  }

  const LayeredDiagram& relaxed_;
  const ConstraintProgram& program_;
  const Domains& domains_;
  std::size_t edges_left_;
  StopSignal& stop_;
  std::vector<Cell> cells_;
  std::vector<NodeTable> tables_;                   // new nodes, by layer
  std::vector<std::vector<std::uint32_t>> copies_;  // by layer and old node: its copy
  std::vector<std::uint32_t> path_;                 // by layer: the value of the current path's edge
  std::optional<std::uint32_t> pending_fault_;      // the term that faulted on the current path
  std::optional<FaultFound> fault_;
};

}  // namespace

double approximate_count(const LayeredDiagram& diagram) {
  if (diagram.empty) return 0;
  std::vector<double> below{1.0};
  for (std::size_t l = diagram.layers.size(); l-- > 0;) {
    std::vector<double> counts;
    for (std::size_t i = 0; i < diagram.layers[l].nodes(); ++i) {
      double count = 0;
      for (const Edge& edge : diagram.layers[l].node(i)) count += below[edge.child];
      counts.push_back(count);
    }
    below = std::move(counts);
  }
  return below.front();
}

std::vector<std::pair<std::uint32_t, std::uint16_t>> first_configuration(const LayeredDiagram& diagram,
                                                                         const Domains& domains) {
  std::vector<std::pair<std::uint32_t, std::uint16_t>> result;
  std::uint32_t node = 0;
  for (const LayeredDiagram::Layer& layer : diagram.layers) {
    const Edge& edge = layer.node(node).front();
    result.emplace_back(layer.variable, domains.values[layer.variable][edge.value]);
    node = edge.child;
  }
  return result;
}

std::optional<Restriction> restrict_diagram(const LayeredDiagram& relaxed, const ConstraintProgram& program,
                                            const Domains& domains, std::size_t max_edges, StopSignal& stop) {
  return Restrictor(relaxed, program, domains, max_edges, stop).run();
}

}  // namespace wattune::space
