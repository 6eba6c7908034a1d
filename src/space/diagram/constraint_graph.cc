#include "space/diagram/constraint_graph.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <exception>

namespace wattune::inline v0_1::space {

namespace {

std::uint64_t bits_of(const Scalar& scalar) {
  switch (scalar.kind) {
    case Value::Kind::real: return std::bit_cast<std::uint64_t>(scalar.real);
    case Value::Kind::string: return reinterpret_cast<std::uintptr_t>(scalar.string);
    default: return static_cast<std::uint64_t>(scalar.integer);
  }
}

// True if two cells have the same representation. This is stricter than Python's ==, because 1 and 1.0 divide
// differently.
bool identical(const Cell& a, const Cell& b) {
  return a.state == b.state && a.value.kind == b.value.kind && bits_of(a.value) == bits_of(b.value);
}

std::size_t combine(std::size_t hash, std::uint64_t word) {
  return (std::rotl(hash, 5) ^ word) * 0x9E3779B97F4A7C15ULL;
}

std::size_t hash_of(const GraphNode& node, std::span<const NodeId> operands) {
  std::size_t hash = combine(static_cast<std::size_t>(node.operation), node.detail);
  hash = combine(combine(hash, node.index), bits_of(node.constant.value));
  for (NodeId operand : operands) hash = combine(hash, operand);
  return hash;
}

Fault evaluate_call(Function function, std::span<const NodeId> operands, std::span<const Cell> cells, Scalar& result) {
  if (operands.size() == 1) return call(function, {&cells[operands[0]].value, 1}, result);
  std::vector<Scalar> arguments;
  for (NodeId operand : operands) arguments.push_back(cells[operand].value);
  return call(function, arguments, result);
}

}  // namespace

NodeId ConstraintGraph::add(GraphNode node, std::span<const NodeId> operands) {
  const std::size_t hash = hash_of(node, operands);
  const auto [begin, end] = by_content_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    const GraphNode& other = nodes_[it->second];
    if (other.operation == node.operation && other.detail == node.detail && other.index == node.index &&
        identical(other.constant, node.constant) && std::ranges::equal(this->operands(it->second), operands)) {
      return it->second;
    }
  }
  const auto id = static_cast<NodeId>(nodes_.size());
  node.first = static_cast<std::uint32_t>(pool_.size());
  node.operands = static_cast<std::uint32_t>(operands.size());
  pool_.insert(pool_.end(), operands.begin(), operands.end());
  nodes_.push_back(node);
  by_content_.emplace(hash, id);
  return id;
}

NodeId ConstraintGraph::constant(const Cell& cell) {
  GraphNode node;
  node.constant = cell;
  return add(node, {});
}

NodeId ConstraintGraph::variable(std::uint32_t index) {
  GraphNode node;
  node.operation = Operation::variable;
  node.index = index;
  return add(node, {});
}

NodeId ConstraintGraph::predicate(std::uint32_t index, std::span<const NodeId> operands) {
  GraphNode node;
  node.operation = Operation::predicate;
  node.index = index;
  return fold(add(node, operands));
}

NodeId ConstraintGraph::make(Operation operation, std::uint8_t detail, std::vector<NodeId> operands) {
  if (operation == Operation::logical_and || operation == Operation::logical_or) {
    operands = simplify_logical(operation, std::move(operands));
    if (operands.size() == 1) return operands.front();
  }
  if (operation == Operation::conditional && is_constant(operands[0]) && nodes_[operands[0]].constant.is_value()) {
    return nodes_[operands[0]].constant.value.truth() ? operands[1] : operands[2];
  }
  GraphNode node;
  node.operation = operation;
  node.detail = detail;
  return fold(add(node, operands));
}

// Returns a constant with the node's value if all operands of the node are constants. Otherwise returns the node
// itself.
NodeId ConstraintGraph::fold(NodeId id) {
  if (!std::ranges::all_of(operands(id), [&](NodeId operand) { return is_constant(operand); })) return id;
  std::vector<Cell> cells(nodes_.size());
  for (NodeId operand : operands(id)) cells[operand] = nodes_[operand].constant;
  return constant(evaluate(id, cells));
}

// Removes the constant operands of `and` or `or` that do not decide the result. Removes all operands after a constant
// operand that decides the result.
std::vector<NodeId> ConstraintGraph::simplify_logical(Operation operation, std::vector<NodeId> operands) const {
  const bool decisive = operation == Operation::logical_or;
  std::vector<NodeId> kept;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Cell& cell = nodes_[operands[i]].constant;
    const bool known = is_constant(operands[i]) && cell.is_value();
    if (known && cell.value.truth() != decisive && i + 1 < operands.size()) continue;
    kept.push_back(operands[i]);
    if (known && cell.value.truth() == decisive) break;
  }
  return kept;
}

const std::int64_t* ConstraintGraph::as_integer(NodeId id) const {
  const GraphNode& node = nodes_[id];
  return node.operation == Operation::constant && node.constant.is_integer() ? &node.constant.value.integer : nullptr;
}

Cell ConstraintGraph::cell(const Value& value) {
  if (value.kind() != Value::Kind::string) return Cell::of(Scalar(value));
  Scalar scalar;
  scalar.kind = Value::Kind::string;
  scalar.string = &*strings_.insert(value.as_string()).first;
  return Cell::of(scalar);
}

Cell ConstraintGraph::evaluate(NodeId id, std::span<const Cell> cells) const {
  const GraphNode& node = nodes_[id];
  const NodeId* operand = pool_.data() + node.first;
  switch (node.operation) {
    case Operation::binary: {
      const Cell& a = cells[operand[0]];
      const Cell& b = cells[operand[1]];
      if (!a.is_integer() || !b.is_integer()) break;
      Cell result = Cell::of(Scalar());
      return apply(node.binary(), a.value, b.value, result.value) == Fault::none ? result : Cell::failed();
    }
    case Operation::logical_and:
    case Operation::logical_or: {
      const bool decisive = node.operation == Operation::logical_or;
      for (std::uint32_t i = 0; i + 1 < node.operands; ++i) {
        const Cell& cell = cells[operand[i]];
        if (!cell.is_value() || cell.value.truth() == decisive) return cell;
      }
      return cells[operand[node.operands - 1]];
    }
    case Operation::conditional: {
      const Cell& condition = cells[operand[0]];
      if (!condition.is_value()) return condition;
      return cells[operand[condition.value.truth() ? 1 : 2]];
    }
    default: break;
  }
  return evaluate_strict(node, {operand, node.operands}, cells);
}

// Evaluates the operations that read all their operands.
Cell ConstraintGraph::evaluate_strict(const GraphNode& node, std::span<const NodeId> operands,
                                      std::span<const Cell> cells) const {
  Cell::State worst = Cell::State::value;
  for (NodeId operand : operands) {
    if (cells[operand].state == Cell::State::blank) return {};
    if (cells[operand].state == Cell::State::fault) worst = Cell::State::fault;
  }
  if (worst == Cell::State::fault) return Cell::failed();
  if (node.operation == Operation::predicate) return evaluate_predicate(node, operands, cells);
  const Scalar& a = cells[operands[0]].value;
  Fault fault = Fault::none;
  Scalar result;
  bool truth = false;
  switch (node.operation) {
    case Operation::unary: fault = apply(node.unary(), a, result); break;
    case Operation::binary: fault = apply(node.binary(), a, cells[operands[1]].value, result); break;
    case Operation::comparison:
      fault = compare(node.comparison(), a, cells[operands[1]].value, truth);
      result = Scalar(truth);
      break;
    case Operation::in_list:
      truth = std::any_of(operands.begin() + 1, operands.end(),
                          [&](NodeId element) { return equal(a, cells[element].value); });
      result = Scalar(truth);
      break;
    case Operation::call: fault = evaluate_call(node.function(), operands, cells, result); break;
    default: return {};  // not reached: evaluate() handles the other operations
  }
  return fault == Fault::none ? Cell::of(result) : Cell::failed();
}

// Evaluates a predicate. A predicate that throws gives a fault, as does an expression that divides by zero.
Cell ConstraintGraph::evaluate_predicate(const GraphNode& node, std::span<const NodeId> operands,
                                         std::span<const Cell> cells) const {
  std::vector<Value> arguments;
  for (NodeId operand : operands) arguments.push_back(cells[operand].value.to_value());
  try {
    return Cell::of(Scalar(predicates_[node.index].holds(arguments)));
  } catch (...) {
    return Cell::failed();
  }
}

}  // namespace wattune::space
