// The parameters and constraints of a space, checked and compiled to a graph.
//
// Constraints are split at their top-level `and`s and chained comparisons into terms. Each term excludes configurations
// by itself, in any order. Parameters with a single value are constants in the graph.
#pragma once

#include <string>
#include <vector>

#include "space/diagram/constraint_program.h"
#include "space/interface/expression.h"

namespace wattune::inline v0_1::space {

struct Term {
  NodeId root;
  std::uint32_t constraint;          // index among all constraints: first the expressions, then predicates
  std::vector<std::uint32_t> scope;  // the variables that the term reads, ascending
};

struct ConstraintSystem {
  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
  std::vector<Predicate> predicates;
  std::vector<Expression> expressions;  // expressions in the order of constraints
  ConstraintGraph graph{{}};
  std::vector<Term> terms;
  Domains domains;  // all values of each variable, before any was filtered out

  // Returns the text that the user wrote, for messages.
  std::string constraint_text(std::uint32_t constraint) const;
  SourcePosition constraint_position(std::uint32_t constraint) const;
  // Returns the cell of every node of the graph under one assignment.
  std::vector<Cell> evaluate(const ValueIndices& indices) const;
  bool holds(const Term& term, std::span<const Cell> cells) const {
    return cells[term.root].is_value() && cells[term.root].value.truth();
  }
};

// Compiles the system and fills in its missing members. The object must stay at its address, because the graph refers
// to its predicates. Fails with invalid_argument for a parameter without values, with duplicate ones or with more than
// 65,535, for duplicate names, and for a default that is not among the values. Fails with not_found for unknown names,
// and with parse_error.
Result<void> compile_system(ConstraintSystem& system);

std::vector<std::string> names_of(const std::vector<Parameter>& parameters);

// Removes each value for which a small term holds with no values of its other variables. A domain may become empty.
void filter_domains(const ConstraintSystem& system, std::span<const std::uint32_t> terms, Domains& domains);

}  // namespace wattune::space
