// All constraints of a space as one graph of shared subexpressions.
//
// Equal subexpressions are one node, and constant ones are folded. Operands have smaller numbers than the nodes that
// use them, so that evaluating nodes in ascending order is always right. Nodes are evaluated eagerly into Cells. A
// fault is a value like any other, and `and`, `or` and the conditional ignore the operands that Python would not
// evaluate. Not thread safe while it grows; any number of threads may read it.
#pragma once

#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "space/expression/arithmetic.h"
#include "wattune/space/search_space.h"

namespace wattune::inline v0_1::space {

using NodeId = std::uint32_t;

// The value of a node under an assignment.
struct Cell {
  enum class State : std::uint8_t {
    blank,  // no longer needed, because every constraint that reads the node is settled
    value,
    fault,  // evaluating the node is an error, such as a division by zero
  };

  Scalar value;
  State state = State::blank;

  static Cell of(Scalar scalar) { return {scalar, State::value}; }
  static Cell failed() { return {Scalar(), State::fault}; }
  bool is_value() const { return state == State::value; }
  bool is_integer() const { return is_value() && value.kind == Value::Kind::integer; }
};

enum class Operation : std::uint8_t {
  constant,
  variable,
  unary,
  binary,
  comparison,
  logical_and,
  logical_or,
  conditional,
  call,
  in_list,    // the first operand equals one of the others
  predicate,  // a C++ function of the operands
};

struct GraphNode {
  Operation operation = Operation::constant;
  std::uint8_t detail = 0;     // which operator, comparison or function
  std::uint32_t index = 0;     // index of the variable or predicate
  std::uint32_t first = 0;     // index of the first operand in the graph's pool
  std::uint32_t operands = 0;  // number of operands
  Cell constant;

  UnaryOperator unary() const { return static_cast<UnaryOperator>(detail); }
  BinaryOperator binary() const { return static_cast<BinaryOperator>(detail); }
  Comparison comparison() const { return static_cast<Comparison>(detail); }
  Function function() const { return static_cast<Function>(detail); }
  bool is(BinaryOperator op) const { return operation == Operation::binary && binary() == op; }
};

class ConstraintGraph {
 public:
  // Takes the predicates that Operation::predicate refers to. The predicates must outlive the graph.
  explicit ConstraintGraph(std::span<const Predicate> predicates) : predicates_(predicates) {}

  NodeId constant(const Cell& cell);
  NodeId integer(std::int64_t value) { return constant(Cell::of(Scalar(value))); }
  NodeId variable(std::uint32_t index);
  NodeId predicate(std::uint32_t index, std::span<const NodeId> operands);
  // Makes a node of any operation that has no function above. It folds constants, and returns an existing node if there
  // is an equal one.
  NodeId make(Operation operation, std::uint8_t detail, std::vector<NodeId> operands);
  NodeId make(BinaryOperator op, NodeId a, NodeId b) {
    return make(Operation::binary, static_cast<std::uint8_t>(op), {a, b});
  }
  NodeId make(Comparison op, NodeId a, NodeId b) {
    return make(Operation::comparison, static_cast<std::uint8_t>(op), {a, b});
  }

  std::size_t size() const { return nodes_.size(); }
  const GraphNode& operator[](NodeId id) const { return nodes_[id]; }
  std::span<const NodeId> operands(NodeId id) const { return {pool_.data() + nodes_[id].first, nodes_[id].operands}; }
  bool is_constant(NodeId id) const { return nodes_[id].operation == Operation::constant; }
  // Returns the value of the node if the node is an integer constant; otherwise nullptr.
  const std::int64_t* as_integer(NodeId id) const;

  // Returns the cell of a value. Equal strings are the same object, which the graph owns, so that cells compare by
  // their bits.
  Cell cell(const Value& value);

  // Returns the node's cell, computed from `cells`, which hold those of its operands. Precondition: the node is neither
  // constant nor variable.
  Cell evaluate(NodeId id, std::span<const Cell> cells) const;

 private:
  NodeId add(GraphNode node, std::span<const NodeId> operands);
  NodeId fold(NodeId id);
  std::vector<NodeId> simplify_logical(Operation operation, std::vector<NodeId> operands) const;
  Cell evaluate_strict(const GraphNode& node, std::span<const NodeId> operands, std::span<const Cell> cells) const;
  Cell evaluate_predicate(const GraphNode& node, std::span<const NodeId> operands, std::span<const Cell> cells) const;

  std::span<const Predicate> predicates_;
  std::vector<GraphNode> nodes_;
  std::vector<NodeId> pool_;
  std::unordered_multimap<std::size_t, NodeId> by_content_;
  std::set<std::string> strings_;
};

}  // namespace wattune::space
