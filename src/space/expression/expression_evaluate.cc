#include "space/expression/expression_evaluate.h"

#include <algorithm>
#include <vector>

namespace wattune::inline v0_1::space {

namespace {

using Node = Expression::Node;

Failure failure_at(const Node& node, Fault fault) { return fault == Fault::none ? Failure{} : Failure{fault, &node}; }

Failure evaluate_all(const std::vector<Node>& nodes, const NameValue& name_value, std::vector<Scalar>& results) {
  results.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (const Failure failure = evaluate(nodes[i], name_value, results[i])) return failure;
  }
  return {};
}

// Evaluates `in` with a list. Like Python, evaluates every element, even those after an element that is equal.
Failure evaluate_membership(const Scalar& wanted, const Node& list, const NameValue& name_value, bool& found) {
  std::vector<Scalar> elements;
  if (const Failure failure = evaluate_all(list.children, name_value, elements)) return failure;
  found = std::any_of(elements.begin(), elements.end(), [&](const Scalar& element) { return equal(wanted, element); });
  return {};
}

Failure evaluate_comparison(const Node& node, const NameValue& name_value, Scalar& result) {
  Scalar left;
  if (const Failure failure = evaluate(node.children[0], name_value, left)) return failure;
  bool holds = true;
  for (std::size_t i = 0; holds && i < node.comparisons.size(); ++i) {
    const Comparison comparison = node.comparisons[i];
    const Node& operand = node.children[i + 1];
    if (operand.kind == NodeKind::list) {
      bool found = false;
      if (const Failure failure = evaluate_membership(left, operand, name_value, found)) return failure;
      holds = found == (comparison == Comparison::in);
      continue;
    }
    Scalar right;
    if (const Failure failure = evaluate(operand, name_value, right)) return failure;
    if (const Fault fault = compare(comparison, left, right, holds); fault != Fault::none) return {fault, &node};
    left = right;
  }
  result = Scalar(holds);
  return {};
}

// Evaluates `and`, which stops at the first false operand, or `or`, which stops at the first true operand.
Failure evaluate_logical(const Node& node, const NameValue& name_value, Scalar& result) {
  const bool stop_at = node.kind == NodeKind::logical_or;
  for (const Node& operand : node.children) {
    if (const Failure failure = evaluate(operand, name_value, result)) return failure;
    if (result.truth() == stop_at) break;
  }
  return {};
}

Failure evaluate_conditional(const Node& node, const NameValue& name_value, Scalar& result) {
  Scalar condition;
  if (const Failure failure = evaluate(node.children[0], name_value, condition)) return failure;
  return evaluate(node.children[condition.truth() ? 1 : 2], name_value, result);
}

Failure evaluate_binary(const Node& node, const NameValue& name_value, Scalar& result) {
  Scalar left;
  Scalar right;
  if (const Failure failure = evaluate(node.children[0], name_value, left)) return failure;
  if (const Failure failure = evaluate(node.children[1], name_value, right)) return failure;
  return failure_at(node, apply(node.binary, left, right, result));
}

Failure evaluate_name(const Node& node, const NameValue& name_value, Scalar& result) {
  const Value* value = name_value(node.name);
  if (value == nullptr) return {Fault::unknown_name, &node};
  result = Scalar(*value);
  return {};
}

Failure evaluate_call(const Node& node, const NameValue& name_value, Scalar& result) {
  std::vector<Scalar> arguments;
  if (const Failure failure = evaluate_all(node.children, name_value, arguments)) return failure;
  return failure_at(node, call(node.function, arguments, result));
}

}  // namespace

Failure evaluate(const Node& node, const NameValue& name_value, Scalar& result) {
  switch (node.kind) {
    case NodeKind::literal: result = Scalar(node.literal); return {};
    case NodeKind::name: return evaluate_name(node, name_value, result);
    case NodeKind::unary:
      if (const Failure failure = evaluate(node.children[0], name_value, result)) return failure;
      return failure_at(node, apply(node.unary, result, result));
    case NodeKind::binary: return evaluate_binary(node, name_value, result);
    case NodeKind::comparison: return evaluate_comparison(node, name_value, result);
    case NodeKind::logical_and:
    case NodeKind::logical_or: return evaluate_logical(node, name_value, result);
    case NodeKind::conditional: return evaluate_conditional(node, name_value, result);
    case NodeKind::call: return evaluate_call(node, name_value, result);
    case NodeKind::list: break;  // not reached: the comparison evaluates its list
  }
  return {Fault::wrong_type, &node};
}

}  // namespace wattune::space
