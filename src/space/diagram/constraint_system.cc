#include "space/diagram/constraint_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/interface/suggest.h"
#include "core/interface/value_hash.h"
#include "space/expression/expression_tree.h"

namespace wattune::inline v0_1::space {

namespace {

constexpr std::size_t kMaxValues = 65535;

Error bad(const Parameter& parameter, std::string message) {
  return Error(ErrorCode::invalid_argument, fmt::format("parameter `{}` {}", parameter.name, message))
      .at(parameter.position);
}

Result<void> check_values(const Parameter& parameter) {
  if (parameter.values.empty()) return bad(parameter, "has no values");
  if (parameter.values.size() > kMaxValues) {
    return bad(parameter, fmt::format("has {} values; the most are {}", parameter.values.size(), kMaxValues))
        .hint("give coarser steps, or make two parameters of it");
  }
  std::unordered_set<Value, ValueHash> seen;
  for (const Value& value : parameter.values) {
    const auto [same, is_new] = seen.insert(value);
    if (is_new) continue;
    const std::string first = same->to_string();
    const std::string second = value.to_string();
    return bad(parameter, first == second ? fmt::format("has the value {} twice", first)
                                          : fmt::format("has the values {} and {}, which are equal", first, second));
  }
  if (parameter.default_value && !seen.contains(*parameter.default_value)) {
    return bad(parameter,
               fmt::format("has the default {}, which is not one of its values", parameter.default_value->to_string()));
  }
  return {};
}

Result<void> check_parameters(const std::vector<Parameter>& parameters) {
  std::unordered_set<std::string_view> names;
  for (const Parameter& parameter : parameters) {
    if (!names.insert(parameter.name).second) return bad(parameter, "is declared twice");
    WATTUNE_TRY(check_values(parameter));
  }
  return {};
}

// Translates one expression. A name becomes a constant if its parameter has one value.
class Translator {
 public:
  Translator(ConstraintGraph& graph, const Domains& domains, std::span<const std::uint32_t> variable_of_name)
      : graph_(graph), domains_(domains), variable_of_name_(variable_of_name) {}

  // Appends the terms into which the node is split at `and` and at comparisons. The node is true exactly if all these
  // terms are true.
  void split(const Expression::Node& node, std::vector<NodeId>& terms) {
    if (node.kind == NodeKind::logical_and) {
      for (const Expression::Node& child : node.children) split(child, terms);
    } else if (node.kind == NodeKind::comparison) {
      for (std::size_t i = 0; i < node.comparisons.size(); ++i) terms.push_back(translate_comparison(node, i));
    } else {
      terms.push_back(translate(node));
    }
  }

 private:
  NodeId translate(const Expression::Node& node) {
    switch (node.kind) {
      case NodeKind::literal: return graph_.constant(graph_.cell(node.literal));
      case NodeKind::name: return translate_name(variable_of_name_[node.name]);
      case NodeKind::unary: return make(Operation::unary, node.unary, node);
      case NodeKind::binary: return make(Operation::binary, node.binary, node);
      case NodeKind::call: return make(Operation::call, node.function, node);
      case NodeKind::logical_and: return make(Operation::logical_and, 0, node);
      case NodeKind::logical_or: return make(Operation::logical_or, 0, node);
      case NodeKind::conditional: return make(Operation::conditional, 0, node);
      case NodeKind::comparison:
      case NodeKind::list: break;  // not reached: only translate_comparison() handles lists
    }
    std::vector<NodeId> links;
    for (std::size_t i = 0; i < node.comparisons.size(); ++i) links.push_back(translate_comparison(node, i));
    return links.size() == 1 ? links.front() : graph_.make(Operation::logical_and, 0, std::move(links));
  }

  NodeId translate_name(std::uint32_t variable) {
    const std::vector<Cell>& cells = domains_.cells[variable];
    return cells.size() == 1 ? graph_.constant(cells.front()) : graph_.variable(variable);
  }

  template <typename Detail>
  NodeId make(Operation operation, Detail detail, const Expression::Node& node) {
    std::vector<NodeId> operands;
    for (const Expression::Node& child : node.children) operands.push_back(translate(child));
    return graph_.make(operation, static_cast<std::uint8_t>(detail), std::move(operands));
  }

  NodeId translate_comparison(const Expression::Node& node, std::size_t i) {
    const Comparison comparison = node.comparisons[i];
    const Expression::Node& right = node.children[i + 1];
    if (right.kind != NodeKind::list) return graph_.make(comparison, translate(node.children[i]), translate(right));
    std::vector<NodeId> operands = {translate(node.children[i])};
    for (const Expression::Node& element : right.children) operands.push_back(translate(element));
    const NodeId found = graph_.make(Operation::in_list, 0, std::move(operands));
    if (comparison == Comparison::in) return found;
    return graph_.make(Operation::unary, static_cast<std::uint8_t>(UnaryOperator::logical_not), {found});
  }

  ConstraintGraph& graph_;
  const Domains& domains_;
  std::span<const std::uint32_t> variable_of_name_;
};

const Expression::Node* find_name(const Expression::Node& node, std::uint32_t name) {
  if (node.kind == NodeKind::name && node.name == name) return &node;
  for (const Expression::Node& child : node.children) {
    if (const Expression::Node* found = find_name(child, name)) return found;
  }
  return nullptr;
}

using VariableByName = std::unordered_map<std::string_view, std::uint32_t>;

Result<void> compile_constraint(ConstraintSystem& system, std::uint32_t index, const VariableByName& variables) {
  const Constraint& constraint = system.constraints[index];
  WATTUNE_ASSIGN(Expression expression, Expression::parse(constraint.expression, constraint.position));
  std::vector<std::uint32_t> variable_of_name;
  for (std::uint32_t i = 0; i < expression.names().size(); ++i) {
    const std::string& name = expression.names()[i];
    const auto found = variables.find(name);
    if (found == variables.end()) {
      const std::size_t offset = find_name(expression.root(), i)->offset;
      return Error(ErrorCode::not_found, fmt::format("unknown parameter `{}` in a constraint", name))
          .at(position_in(constraint.position, constraint.expression, offset))
          .about(constraint.expression)
          .hint(suggest(name, names_of(system.parameters)));
    }
    variable_of_name.push_back(found->second);
  }
  std::vector<NodeId> roots;
  Translator(system.graph, system.domains, variable_of_name).split(expression.root(), roots);
  for (NodeId root : roots) system.terms.push_back({root, index, {}});
  system.expressions.push_back(std::move(expression));
  return {};
}

Result<void> compile_predicate(ConstraintSystem& system, std::uint32_t index, const VariableByName& variables) {
  std::vector<NodeId> operands;
  for (const std::string& name : system.predicates[index].names) {
    const auto found = variables.find(name);
    if (found == variables.end()) {
      return Error(ErrorCode::not_found, fmt::format("unknown parameter `{}` in a constraint", name))
          .about(system.predicates[index].description)
          .hint(suggest(name, names_of(system.parameters)));
    }
    const std::vector<Cell>& cells = system.domains.cells[found->second];
    operands.push_back(cells.size() == 1 ? system.graph.constant(cells.front()) : system.graph.variable(found->second));
  }
  const auto constraint = static_cast<std::uint32_t>(system.constraints.size()) + index;
  system.terms.push_back({system.graph.predicate(index, operands), constraint, {}});
  return {};
}

void find_scopes(ConstraintSystem& system) {
  const ConstraintGraph& graph = system.graph;
  for (Term& term : system.terms) {
    std::vector<bool> reached(graph.size(), false);
    reached[term.root] = true;
    for (NodeId id = term.root + 1; id-- > 0;) {
      if (!reached[id]) continue;
      for (NodeId operand : graph.operands(id)) reached[operand] = true;
      if (graph[id].operation == Operation::variable) term.scope.push_back(graph[id].index);
    }
    std::ranges::sort(term.scope);
  }
}

}  // namespace

std::vector<std::string> names_of(const std::vector<Parameter>& parameters) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) names.push_back(parameter.name);
  return names;
}

Result<void> compile_system(ConstraintSystem& system) {
  WATTUNE_TRY(check_parameters(system.parameters));
  system.graph = ConstraintGraph(system.predicates);
  VariableByName variables;
  for (const Parameter& parameter : system.parameters) {
    variables.emplace(parameter.name, static_cast<std::uint32_t>(variables.size()));
    std::vector<std::uint16_t>& values = system.domains.values.emplace_back();
    std::vector<Cell>& cells = system.domains.cells.emplace_back();
    for (const Value& value : parameter.values) {
      values.push_back(static_cast<std::uint16_t>(values.size()));
      cells.push_back(system.graph.cell(value));
    }
  }
  for (std::uint32_t i = 0; i < system.constraints.size(); ++i) WATTUNE_TRY(compile_constraint(system, i, variables));
  for (std::uint32_t i = 0; i < system.predicates.size(); ++i) WATTUNE_TRY(compile_predicate(system, i, variables));
  find_scopes(system);
  return {};
}

std::string ConstraintSystem::constraint_text(std::uint32_t constraint) const {
  return constraint < constraints.size() ? constraints[constraint].expression
                                         : predicates[constraint - constraints.size()].description;
}

SourcePosition ConstraintSystem::constraint_position(std::uint32_t constraint) const {
  return constraint < constraints.size() ? constraints[constraint].position : SourcePosition();
}

std::vector<Cell> ConstraintSystem::evaluate(const ValueIndices& indices) const {
  std::vector<Cell> cells(graph.size());
  for (NodeId id = 0; id < graph.size(); ++id) {
    const GraphNode& node = graph[id];
    switch (node.operation) {
      case Operation::constant: cells[id] = node.constant; break;
      case Operation::variable: cells[id] = domains.cells[node.index][indices[node.index]]; break;
      default: cells[id] = graph.evaluate(id, cells);
    }
  }
  return cells;
}

}  // namespace wattune::space
