// ConstraintSystem: the parameters and constraints of a space, checked and compiled to a graph.
//
// Constraints are split at their top-level `and`s and chained comparisons into terms, each of which excludes
// configurations for itself, whatever the order. Parameters with a single value are constants in the graph.
#pragma once

#include <string>
#include <vector>

#include "space/constraint_program.h"
#include "wattune/space/expression.h"

namespace wattune::space {

struct Term {
  NodeId root;
  std::uint32_t constraint;          // of all constraints: the expressions, then the predicates
  std::vector<std::uint32_t> scope;  // the variables it reads, ascending
};

struct ConstraintSystem {
  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
  std::vector<Predicate> predicates;
  std::vector<Expression> expressions;  // parallel to constraints
  ConstraintGraph graph{{}};
  std::vector<Term> terms;
  Domains domains;  // of all values

  // What the user wrote, for messages.
  std::string constraint_text(std::uint32_t constraint) const;
  SourcePosition constraint_position(std::uint32_t constraint) const;
  // The cell of every node of the graph under one assignment.
  std::vector<Cell> evaluate(const ValueIndices& indices) const;
  bool holds(const Term& term, std::span<const Cell> cells) const {
    return cells[term.root].is_value() && cells[term.root].value.truth();
  }
};

// invalid_argument: no or duplicate values, more than 65,535 of them, duplicate names, a default that is not among
// the values; not_found: unknown names; parse_error. Fills in what `system` does not hold yet; the object
// must stay where it is, since the graph refers to its predicates.
Result<void> compile_system(ConstraintSystem& system);

std::vector<std::string> names_of(const std::vector<Parameter>& parameters);

// Takes the values out of the domains that no assignment of the other variables in some small one of the terms
// allows. A domain may end up empty.
void filter_domains(const ConstraintSystem& system, std::span<const std::uint32_t> terms, Domains& domains);

}  // namespace wattune::space
