// A group of constraints compiled for one order of its variables.
//
// Levels count the variables of the group in the order of assignment. A node of the graph closes at the level of the
// last variable that it reads; until then it is open. For each level the program lists the nodes that close there,
// which are then evaluated, and the nodes that are still open. It also lists the frontier: the closed nodes that open
// nodes still read. The rest of the constraints depends on the assigned variables only through the frontier.
#pragma once

#include <span>
#include <vector>

#include "space/diagram/constraint_graph.h"
#include "space/diagram/domains.h"
#include "space/expression/range.h"

namespace wattune::inline v0_1::space {

// The effect of a fault on a constraint.
enum class FaultRule : std::uint8_t {
  admit,   // a fault counts as true, and configurations that the other constraints admit are tested later
  demand,  // a fault counts as the only true value; this finds the configurations that reach the fault
};

struct Root {
  NodeId node;
  std::uint32_t term;  // index of the term in the system
  FaultRule rule = FaultRule::admit;
};

// Tells whether a constraint lets a configuration pass. A blank cell passes, because the constraint is settled.
inline bool passes(const Cell& cell, FaultRule rule) {
  if (cell.state == Cell::State::blank) return true;
  if (rule == FaultRule::demand) return cell.state == Cell::State::fault;
  return cell.state == Cell::State::fault || cell.value.truth();
}

struct ConstraintProgram {
  struct Level {
    std::uint32_t variable = 0;
    NodeId variable_node = 0;
    Range variable_range;
    std::vector<NodeId> closing;            // nodes that close here, ascending, without the variable's own node
    std::vector<std::uint32_t> roots;       // roots that close here, by their positions in the program's roots
    std::vector<std::uint32_t> open_roots;  // roots that close here or later
    std::vector<NodeId> frontier;           // nodes that closed before this level and are read by an open node
    std::vector<std::uint64_t> readers;     // for each frontier node the open roots that read it, as root_bit()s
    std::vector<NodeId> open;               // nodes that close at this level or later, ascending, without variables
  };

  ConstraintGraph graph;
  std::vector<Root> roots;
  std::vector<Level> levels;
  bool contradiction = false;                // true if a root is constant and does not pass
  std::vector<std::uint32_t> always_faulty;  // terms whose root is a constant that faults

  // Returns the bit of a root. Groups of more than 64 roots share the last bit.
  static std::uint64_t root_bit(std::size_t root) { return std::uint64_t{1} << (root < 63 ? root : 63); }

  // Returns the cells with the constants filled in.
  std::vector<Cell> initial_cells() const;
};

// Compiles `roots` of the graph for these variables in this order. Precondition: `variables` holds all variables that
// the roots read and that have more than one value.
ConstraintProgram compile(const ConstraintGraph& graph, std::span<const Root> roots,
                          std::span<const std::uint32_t> variables, const Domains& domains,
                          std::span<const Predicate> predicates);

}  // namespace wattune::space
