#include "space/diagram/constraint_program.h"

#include <algorithm>

#include "space/diagram/arrangement.h"

namespace wattune::inline v0_1::space {

namespace {

constexpr std::uint32_t kUnassigned = ~std::uint32_t{0};

// Marks the nodes that the open roots read from level `at` on. The marked nodes that close before that level are the
// frontier.
void find_frontier(ConstraintProgram& program, int at, std::span<const int> closing) {
  ConstraintProgram::Level& level = program.levels[static_cast<std::size_t>(at)];
  std::vector<std::uint64_t> readers(program.graph.size(), 0);
  for (std::size_t i = 0; i < program.roots.size(); ++i) {
    const NodeId node = program.roots[i].node;
    if (closing[node] < at) continue;
    level.open_roots.push_back(static_cast<std::uint32_t>(i));
    readers[node] |= ConstraintProgram::root_bit(i);
  }
  for (NodeId id = static_cast<NodeId>(program.graph.size()); id-- > 0;) {
    if (closing[id] < at) continue;
    for (NodeId operand : program.graph.operands(id)) readers[operand] |= readers[id];
  }
  for (NodeId id = 0; id < program.graph.size(); ++id) {
    if (readers[id] == 0 || program.graph.is_constant(id)) continue;
    if (closing[id] < at) {
      level.frontier.push_back(id);
      level.readers.push_back(readers[id]);
    } else if (program.graph[id].operation != Operation::variable) {
      level.open.push_back(id);
    }
  }
}

}  // namespace

std::vector<Cell> ConstraintProgram::initial_cells() const {
  std::vector<Cell> cells(graph.size());
  for (NodeId id = 0; id < graph.size(); ++id) cells[id] = graph[id].constant;
  return cells;
}

ConstraintProgram compile(const ConstraintGraph& graph, std::span<const Root> roots,
                          std::span<const std::uint32_t> variables, const Domains& domains,
                          std::span<const Predicate> predicates) {
  ConstraintProgram program{ConstraintGraph(predicates), {}, {}, false, {}};
  std::vector<std::uint32_t> level_of(domains.values.size(), kUnassigned);
  for (std::size_t i = 0; i < variables.size(); ++i) level_of[variables[i]] = static_cast<std::uint32_t>(i);
  Arrangement arrangement(graph, domains, level_of, program.graph);

  for (std::uint32_t variable : variables) {
    ConstraintProgram::Level& level = program.levels.emplace_back();
    level.variable = variable;
    level.variable_node = program.graph.variable(variable);
    level.variable_range = domains.range(variable);
  }
  for (const Root& root : roots) {
    const NodeId node = arrangement.arrange(root.node);
    if (!program.graph.is_constant(node)) {
      program.roots.push_back({node, root.term, root.rule});
      continue;
    }
    const Cell& cell = program.graph[node].constant;
    if (!passes(cell, root.rule)) program.contradiction = true;
    if (cell.state == Cell::State::fault) program.always_faulty.push_back(root.term);
  }

  std::vector<int> closing;
  for (NodeId id = 0; id < program.graph.size(); ++id) closing.push_back(arrangement.closing_level(id));
  for (std::size_t i = 0; i < program.roots.size(); ++i) {
    program.levels[static_cast<std::size_t>(closing[program.roots[i].node])].roots.push_back(
        static_cast<std::uint32_t>(i));
  }
  for (std::size_t i = 0; i < variables.size(); ++i) find_frontier(program, static_cast<int>(i), closing);
  if (!program.levels.empty()) {
    for (NodeId id : program.levels.front().open) {
      program.levels[static_cast<std::size_t>(closing[id])].closing.push_back(id);
    }
  }
  return program;
}

}  // namespace wattune::space
