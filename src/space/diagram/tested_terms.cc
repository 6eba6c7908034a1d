#include "space/diagram/tested_terms.h"

#include <algorithm>

namespace wattune::inline v0_1::space {

namespace {

ConstraintProgram compile_for(const ConstraintSystem& system, const Diagram& diagram, const Domains& domains,
                              std::span<const std::uint32_t> terms) {
  std::vector<Root> roots;
  for (const std::uint32_t t : terms) roots.push_back({system.terms[t].root, t});
  std::vector<std::uint32_t> order;
  for (std::size_t l = 0; l < diagram.levels(); ++l) order.push_back(diagram.parameter(l));
  return compile(system.graph, roots, order, domains, system.predicates);
}

// Marks the nodes that read the variable, directly or through other nodes.
std::vector<bool> readers_of(const ConstraintGraph& graph, NodeId variable) {
  std::vector<bool> reads(graph.size(), false);
  reads[variable] = true;
  for (NodeId id = variable + 1; id < graph.size(); ++id) {
    const auto operands = graph.operands(id);
    reads[id] = std::ranges::any_of(operands, [&](NodeId operand) { return reads[operand]; });
  }
  reads[variable] = false;
  return reads;
}

}  // namespace

TestedTerms::TestedTerms(const ConstraintSystem& system, const Diagram& diagram, const Domains& domains,
                         std::span<const std::uint32_t> terms)
    : system_(system),
      program_(compile_for(system, diagram, domains, terms)),
      never_(program_.contradiction || !program_.always_faulty.empty()) {
  for (const ConstraintProgram::Level& level : program_.levels) {
    Level& own = levels_.emplace_back(Level{level.variable, level.variable_node, {}, {}});
    const std::vector<bool> reads = readers_of(program_.graph, level.variable_node);
    const auto closes = [&](NodeId id) { return std::ranges::binary_search(level.closing, id); };
    for (const NodeId id : program_.levels.front().open)
      if (reads[id]) own.readers.push_back({id, closes(id)});
    for (const Root& root : program_.roots) {
      const bool is_variable = root.node == level.variable_node;
      if (is_variable || reads[root.node]) own.roots.push_back({root.node, is_variable || closes(root.node)});
    }
    cost_ += own.readers.size() + 1;
  }
}

std::vector<Range> TestedTerms::initial_ranges() const {
  const std::vector<Cell> cells = initial_cells();
  std::vector<Range> ranges(cells.size());
  for (NodeId id = 0; id < cells.size(); ++id) ranges[id] = Range::of(cells[id]);
  for (const ConstraintProgram::Level& level : program_.levels) ranges[level.variable_node] = level.variable_range;
  if (!program_.levels.empty())
    for (const NodeId id : program_.levels.front().open) ranges[id] = range_of(program_.graph, id, ranges);
  return ranges;
}

bool TestedTerms::hold(const ValueIndices& indices) const {
  if (never_) return false;
  std::vector<Cell> cells = initial_cells();
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    cells[levels_[l].node] = value(levels_[l], indices[levels_[l].parameter]);
    for (const NodeId id : program_.levels[l].closing) cells[id] = program_.graph.evaluate(id, cells);
    for (const std::uint32_t i : program_.levels[l].roots)
      if (!is_met(cells[program_.roots[i].node])) return false;
  }
  return true;
}

TestedConfiguration::TestedConfiguration(const TestedTerms& terms, ValueIndices indices)
    : terms_(terms), indices_(std::move(indices)), cells_(terms.initial_cells()) {
  for (const TestedTerms::Level& level : terms.levels())
    cells_[level.node] = terms.value(level, indices_[level.parameter]);
  for (const TestedTerms::Level& level : terms.levels())
    for (const TestedTerms::Reader& reader : level.readers)
      if (reader.closes) cells_[reader.node] = terms.graph().evaluate(reader.node, cells_);
}

bool TestedConfiguration::change(std::size_t level, std::uint16_t place) {
  const TestedTerms::Level& changed = terms_.levels()[level];
  if (put(changed, place)) {
    indices_[changed.parameter] = place;
    return true;
  }
  put(changed, indices_[changed.parameter]);
  return false;
}

bool TestedConfiguration::allows(std::size_t level, std::uint16_t place) {
  const TestedTerms::Level& changed = terms_.levels()[level];
  const bool allowed = put(changed, place);
  put(changed, indices_[changed.parameter]);
  return allowed;
}

// Evaluates the nodes that read the parameter. Returns false if a term fails.
bool TestedConfiguration::put(const TestedTerms::Level& level, std::uint16_t place) {
  cells_[level.node] = terms_.value(level, place);
  for (const TestedTerms::Reader& reader : level.readers)
    cells_[reader.node] = terms_.graph().evaluate(reader.node, cells_);
  return std::ranges::all_of(level.roots, [&](const TestedTerms::Reader& root) { return is_met(cells_[root.node]); });
}

}  // namespace wattune::space
