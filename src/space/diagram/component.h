// Parameters that constraints tie together, and the diagram of their valid combinations.
//
// A component is a set of parameters that share constraints, directly or through others. Each component gets its own
// diagram, and the space is the product of the components, a chain of their diagrams. Within a component, a constraint
// is grouped with another one that reads all of its variables. Each group becomes a ConstraintDiagram, a minimal
// automaton of its own. Their intersection (intersection.h) is the diagram of the component. A race chooses the order
// of the variables (variable_order.h). If all orders exceed the budget, the space builder sets terms aside and tests
// them (restriction.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "space/diagram/budget.h"
#include "space/diagram/constraint_diagram.h"
#include "space/diagram/constraint_system.h"
#include "space/diagram/layered_diagram.h"

namespace wattune::inline v0_1::space {

// For each term of the system, the variables that it reads and that have more than one value left, ascending.
using Scopes = std::vector<std::vector<std::uint32_t>>;

// Terms that are built into one ConstraintDiagram.
struct Group {
  std::vector<std::uint32_t> terms;  // terms, the one with the widest scope first
  std::vector<std::uint32_t> scope;  // variables of all terms, ascending
};

struct ComponentDiagram {
  LayeredDiagram diagram;
  std::vector<std::uint32_t> faulty;  // terms that may fault for some configuration; the diagram counts a fault as true
  std::size_t states = 0;             // number of states that were created, in all attempts
};

class ComponentBuilder {
 public:
  // Prepares the race. `variables` are ascending and have at least two values each. `variables` includes the scopes of
  // `terms`.
  ComponentBuilder(const ConstraintSystem& system, const Domains& domains, const Scopes& scopes,
                   std::vector<std::uint32_t> variables, std::vector<std::uint32_t> terms, std::size_t state_budget,
                   StopSignal& stop);

  // Builds the diagram in the order that wins; returns nullopt if no order finished within the budget. Then culprits()
  // has the terms to set aside, so that the others may succeed.
  std::optional<ComponentDiagram> build();
  const std::vector<std::uint32_t>& culprits() const { return culprits_; }
  // Returns the steps that build() took.
  std::size_t steps() const { return steps_; }

  // Returns the configurations at which `term` faults and that every other term admits. The variables have the order
  // that won. Returns nullopt if the budget ran out. Call it after build().
  std::optional<LayeredDiagram> build_faults_of(std::uint32_t term) const;

 private:
  struct Attempt {
    std::optional<LayeredDiagram> diagram;
    std::vector<std::uint32_t> faulty;
    std::vector<std::uint32_t> culprits;
    std::size_t steps = 0;
    bool hopeless = false;  // true if more steps would not help
  };

  std::optional<ComponentDiagram> run_round(std::vector<std::vector<std::uint32_t>>& orders, std::size_t steps);
  Attempt attempt(const std::vector<std::uint32_t>& order, std::size_t steps);
  std::vector<ConstraintDiagram> build_groups(std::span<const std::uint32_t> order,
                                              std::optional<std::uint32_t> demanded, Budget& budget) const;
  std::optional<ConstraintDiagram> build_group(const Group& group, std::span<const std::uint32_t> order,
                                               std::optional<std::uint32_t> demanded, Budget& budget) const;
  std::vector<std::uint32_t> widest_terms(const Group& group) const;
  std::vector<std::uint32_t> larger_half(const std::vector<ConstraintDiagram>& diagrams) const;

  const ConstraintSystem& system_;
  const Domains& domains_;
  const Scopes& scopes_;
  std::vector<std::uint32_t> variables_;
  std::vector<Group> groups_;
  std::vector<std::size_t> widths_;
  std::size_t state_budget_;
  StopSignal& stop_;
  std::size_t states_ = 0;
  std::size_t steps_ = 0;
  std::vector<std::uint32_t> order_;  // the order of variables that won
  std::vector<std::uint32_t> culprits_;
};

}  // namespace wattune::space
