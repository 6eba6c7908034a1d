// ConstraintDiagram: one group of constraints as a minimal layered automaton over its own variables.
//
// Layer l holds the distinguishable states of the group before variable l is assigned; a row holds the state that
// each value leads to. State 0 of every layer means "everything passes from here".
//
// The builder goes down level by level. A state is what the open part of the constraints can still see of the
// prefix: the cells of the frontier. Of each new state, interval arithmetic asks which constraints are settled already:
// one that fails ends the prefix, one that holds leaves the state, so that more prefixes merge. Going up
// again, states with equal rows merge, which makes the result minimal however crude the states were.
// Cost: one evaluation of the closing nodes per state and value, one interval evaluation per state.
#pragma once

#include <optional>
#include <vector>

#include "space/budget.h"
#include "space/constraint_program.h"

namespace wattune::space {

struct ConstraintDiagram {
  static constexpr std::uint32_t kDead = ~std::uint32_t{0};
  static constexpr std::uint32_t kTrue = 0;

  struct Layer {
    std::uint32_t variable = 0;
    std::size_t width = 0;                // values of the variable
    std::vector<std::uint32_t> children;  // row by row: width per state
    const std::uint32_t* row(std::uint32_t state) const { return children.data() + state * width; }
  };

  std::vector<Layer> layers;
  std::uint32_t root = kTrue;         // kDead when nothing passes
  std::vector<std::uint32_t> faulty;  // terms that some assignment of the variables makes fault, ascending
};

// nullopt when the budget ran out.
std::optional<ConstraintDiagram> build_constraint_diagram(const ConstraintProgram& program, const Domains& domains,
                                                          Budget& budget);

}  // namespace wattune::space
