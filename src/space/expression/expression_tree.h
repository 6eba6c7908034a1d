// The syntax tree of an Expression, for code that evaluates or compiles it.
//
// Nodes own their children and are immutable after parsing. The tree's height is at most kMaxHeight, so that recursive
// walks are safe with any text of the user.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "space/expression/arithmetic.h"
#include "space/interface/expression.h"

namespace wattune::inline v0_1::space {

// Greatest height of a tree.
inline constexpr int kMaxHeight = 1000;

enum class NodeKind : std::uint8_t {
  literal,      // `literal`
  name,         // names()[name]
  unary,        // `unary` on children[0]
  binary,       // `binary` on children[0] and [1]
  comparison,   // children[i] comparisons[i] children[i + 1] for every i, up to the first that is false; a boolean
  logical_and,  // the first child that is false, otherwise the last child; later children are not evaluated
  logical_or,   // the first child that is true, otherwise the last child
  conditional,  // children[0] ? children[1] : children[2]; the child that is not chosen is not evaluated
  call,         // `function` of the children
  list,         // the children; stands only to the right of `in` and `not in`, all elements are evaluated
};

struct Expression::Node {
  NodeKind kind = NodeKind::literal;
  UnaryOperator unary{};
  BinaryOperator binary{};
  Function function{};
  std::uint16_t height = 1;  // 1 + the largest height among the children
  std::uint32_t offset = 0;  // place in the text of the operator, name, function or literal; errors point there
  std::uint32_t name = 0;
  Value literal;
  std::vector<Comparison> comparisons;  // comparisons, one fewer than children
  std::vector<Node> children;
};

// The source of an expression, for errors about it.
struct SourceText {
  std::string text;
  SourcePosition position;         // position of text[0] in the user's file
  std::vector<std::string> names;  // the names that Node::name counts in
};

// Returns the position of text[offset] in the user's file if text[0] is at `start`.
SourcePosition position_in(const SourcePosition& start, std::string_view text, std::size_t offset);

// Returns the Error for a fault in the evaluation of `node`. Precondition: fault != none.
Error fault_error(Fault fault, const SourceText& source, const Expression::Node& node);
Error fault_error(Fault fault, const Expression& expression, const Expression::Node& node);

}  // namespace wattune::space
