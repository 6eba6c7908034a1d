// The diagram of one group of constraints: a minimal layered automaton over the variables of the group.
//
// Layer l holds the states that can be told apart before variable l is assigned. The row of a state holds, for each
// value of the variable, the state that follows. State 0 of every layer means that all values of the remaining
// variables pass.
//
// The builder goes down level by level. A state holds the values of assigned variables and closed subexpressions that
// open constraints still read: the cells of the frontier. Interval arithmetic finds which constraints are settled in
// each new state. A constraint that fails ends the prefix. A constraint that holds is removed from the state, so that
// more prefixes merge.
//
// On the way back up, states with equal rows merge. This makes the result minimal, even if equal states were not
// recognised on the way down. The cost is one evaluation of the closing nodes per state and value, and one interval
// evaluation per state.
#pragma once

#include <optional>
#include <vector>

#include "space/diagram/budget.h"
#include "space/diagram/constraint_program.h"

namespace wattune::inline v0_1::space {

struct ConstraintDiagram {
  static constexpr std::uint32_t kDead = ~std::uint32_t{0};
  static constexpr std::uint32_t kTrue = 0;

  struct Layer {
    std::uint32_t variable = 0;
    std::size_t width = 0;                // number of values of the variable
    std::vector<std::uint32_t> children;  // following states, row by row; a row has `width` entries
    const std::uint32_t* row(std::uint32_t state) const { return children.data() + state * width; }
  };

  std::vector<Layer> layers;
  std::uint32_t root = kTrue;         // root state; kDead if no configuration passes
  std::vector<std::uint32_t> faulty;  // terms that fault (divide by zero, overflow) for some assignment, ascending
};

// Builds the diagram; returns nullopt if the budget ran out.
std::optional<ConstraintDiagram> build_constraint_diagram(const ConstraintProgram& program, const Domains& domains,
                                                          Budget& budget);

}  // namespace wattune::space
