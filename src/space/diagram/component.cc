#include "space/diagram/component.h"

#include <algorithm>

#include "space/diagram/intersection.h"
#include "space/diagram/variable_order.h"

namespace wattune::inline v0_1::space {

namespace {

// Constants of the race of orders. They are the steps of the first round, the factor from one round to the next, and
// the steps per state of the budget in the longest round.
constexpr std::size_t kStepsOfFirstRound = 1 << 12;
constexpr std::size_t kRoundGrowth = 8;
constexpr std::size_t kStepsPerState = 32;
// Up to this number of steps, the attempt with each order is finished. The smallest diagram is worth that much work.
constexpr std::size_t kLeastStepsToCompare = 1 << 14;

std::vector<Group> group_terms(const Scopes& scopes, std::vector<std::uint32_t> terms) {
  std::ranges::stable_sort(terms, std::greater(), [&](std::uint32_t t) { return scopes[t].size(); });
  std::vector<Group> groups;
  for (std::uint32_t t : terms) {
    const auto wider =
        std::ranges::find_if(groups, [&](const Group& group) { return std::ranges::includes(group.scope, scopes[t]); });
    if (wider != groups.end()) {
      wider->terms.push_back(t);
    } else {
      groups.push_back({{t}, scopes[t]});
    }
  }
  return groups;
}

}  // namespace

ComponentBuilder::ComponentBuilder(const ConstraintSystem& system, const Domains& domains, const Scopes& scopes,
                                   std::vector<std::uint32_t> variables, std::vector<std::uint32_t> terms,
                                   std::size_t state_budget, StopSignal& stop)
    : system_(system),
      domains_(domains),
      scopes_(scopes),
      variables_(std::move(variables)),
      groups_(group_terms(scopes, std::move(terms))),
      state_budget_(state_budget),
      stop_(stop) {
  for (const std::vector<std::uint16_t>& values : domains.values) widths_.push_back(values.size());
}

std::optional<ComponentDiagram> ComponentBuilder::build() {
  Scopes group_scopes;
  for (const Group& group : groups_) group_scopes.push_back(group.scope);
  std::vector<std::vector<std::uint32_t>> orders = candidate_orders(variables_, group_scopes, widths_);
  const std::size_t longest = state_budget_ * kStepsPerState;
  for (std::size_t round = std::min(kStepsOfFirstRound, longest);; round = std::min(round * kRoundGrowth, longest)) {
    std::optional<ComponentDiagram> best = run_round(orders, round);
    if (best || orders.empty() || round == longest || stop_.is_given()) return best;
  }
}

// Tries every order of the variables with this many steps. Once an order has succeeded, the other orders get half of
// its steps, because a smaller gain is not worth the attempt. Keeps the smallest diagram. Drops the orders that would
// fail even with more steps.
std::optional<ComponentDiagram> ComponentBuilder::run_round(std::vector<std::vector<std::uint32_t>>& orders,
                                                            std::size_t steps) {
  std::optional<ComponentDiagram> best;
  for (std::vector<std::uint32_t>& order : orders) {
    Attempt result = attempt(order, steps);
    if (!result.diagram) {
      culprits_ = std::move(result.culprits);
      if (result.hopeless) order.clear();
      continue;
    }
    steps = std::min(steps, std::max(result.steps / 2, kLeastStepsToCompare));
    if (best && best->diagram.edges() <= result.diagram->edges()) continue;
    best = ComponentDiagram{*std::move(result.diagram), std::move(result.faulty), 0};
    order_ = order;
  }
  if (best) best->states = states_;
  std::erase_if(orders, [](const std::vector<std::uint32_t>& order) { return order.empty(); });
  return best;
}

ComponentBuilder::Attempt ComponentBuilder::attempt(const std::vector<std::uint32_t>& order, std::size_t steps) {
  Attempt result;
  Budget budget(state_budget_, steps, stop_);
  const std::vector<ConstraintDiagram> diagrams = build_groups(order, std::nullopt, budget);
  for (const ConstraintDiagram& diagram : diagrams) {
    result.faulty.insert(result.faulty.end(), diagram.faulty.begin(), diagram.faulty.end());
  }
  if (diagrams.size() < groups_.size()) {
    result.culprits = widest_terms(groups_[diagrams.size()]);
  } else {
    result.diagram = intersect(order, widths_, diagrams, budget);
    if (!result.diagram) result.culprits = larger_half(diagrams);
  }
  result.steps = steps - budget.steps_left();
  result.hopeless = budget.out_of_states();
  states_ += budget.created_states();
  steps_ += result.steps;
  return result;
}

std::optional<LayeredDiagram> ComponentBuilder::build_faults_of(std::uint32_t term) const {
  Budget budget(state_budget_, state_budget_ * kStepsPerState, stop_);
  const std::vector<ConstraintDiagram> diagrams = build_groups(order_, term, budget);
  if (diagrams.size() < groups_.size()) return std::nullopt;
  return intersect(order_, widths_, diagrams, budget);
}

// Builds the diagram of each group of terms. Stops before the first group that exceeds the budget, so that the result
// may be shorter than the list of groups.
std::vector<ConstraintDiagram> ComponentBuilder::build_groups(std::span<const std::uint32_t> order,
                                                              std::optional<std::uint32_t> demanded,
                                                              Budget& budget) const {
  std::vector<ConstraintDiagram> diagrams;
  for (const Group& group : groups_) {
    std::optional<ConstraintDiagram> diagram = build_group(group, order, demanded, budget);
    if (!diagram) break;
    diagrams.push_back(*std::move(diagram));
  }
  return diagrams;
}

std::optional<ConstraintDiagram> ComponentBuilder::build_group(const Group& group, std::span<const std::uint32_t> order,
                                                               std::optional<std::uint32_t> demanded,
                                                               Budget& budget) const {
  std::vector<std::uint32_t> variables;
  std::ranges::copy_if(order, std::back_inserter(variables),
                       [&](std::uint32_t variable) { return std::ranges::binary_search(group.scope, variable); });
  std::vector<Root> roots;
  for (std::uint32_t t : group.terms) {
    roots.push_back({system_.terms[t].root, t, demanded == t ? FaultRule::demand : FaultRule::admit});
  }
  const ConstraintProgram program = compile(system_.graph, roots, variables, domains_, system_.predicates);
  return build_constraint_diagram(program, domains_, budget);
}

// Returns those terms of a group without a diagram that read all of the group's variables. Terms with fewer variables
// may not be the cause of the failure.
std::vector<std::uint32_t> ComponentBuilder::widest_terms(const Group& group) const {
  std::vector<std::uint32_t> result;
  for (std::uint32_t t : group.terms) {
    if (scopes_[t] == group.scope) result.push_back(t);
  }
  return result;
}

// Returns the terms of that half of the groups whose diagrams are larger. The function is called if the diagrams of all
// groups can be built, but their intersection cannot.
std::vector<std::uint32_t> ComponentBuilder::larger_half(const std::vector<ConstraintDiagram>& diagrams) const {
  std::vector<std::pair<std::size_t, std::size_t>> by_size;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    std::size_t size = 0;
    for (const ConstraintDiagram::Layer& layer : diagrams[g].layers) size += layer.children.size();
    by_size.emplace_back(size, g);
  }
  std::ranges::sort(by_size);
  std::vector<std::uint32_t> result;
  for (std::size_t i = by_size.size() / 2; i < by_size.size(); ++i) {
    const std::vector<std::uint32_t>& terms = groups_[by_size[i].second].terms;
    result.insert(result.end(), terms.begin(), terms.end());
  }
  return result;
}

}  // namespace wattune::space
