#include "space/expression/expression_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace wattune::inline v0_1::space {

namespace {

// Texts of operators and functions, in the order of the enumerators.
constexpr std::array<std::string_view, 3> kUnary = {"+", "-", "not"};
constexpr std::array<std::string_view, 7> kBinary = {"+", "-", "*", "/", "//", "%", "**"};
constexpr std::array<std::string_view, 8> kComparisons = {"==", "!=", "<", "<=", ">", ">=", "in", "not in"};
constexpr std::array<std::string_view, 16> kFunctionNames = {"min",      "max",   "abs",  "ceil", "floor", "np.ceil",
                                                             "np.floor", "round", "sqrt", "log2", "pow",   "math.pow",
                                                             "int",      "float", "bool", "len"};

template <std::size_t n, typename Enumeration>
std::string_view at(const std::array<std::string_view, n>& names, Enumeration enumerator) {
  return names[static_cast<std::size_t>(enumerator)];
}

std::string_view symbol(const Expression::Node& node) {
  switch (node.kind) {
    case NodeKind::unary: return at(kUnary, node.unary);
    case NodeKind::binary: return at(kBinary, node.binary);
    case NodeKind::comparison: return at(kComparisons, node.comparisons.front());
    case NodeKind::call: return at(kFunctionNames, node.function);
    default: return {};
  }
}

Error message_of(Fault fault, const SourceText& source, const Expression::Node& node) {
  switch (fault) {
    case Fault::overflow:
      return Error(ErrorCode::out_of_range, fmt::format("the result of `{}` exceeds 64 bits", symbol(node)));
    case Fault::division_by_zero:
      return Error(ErrorCode::invalid_argument, fmt::format("division by zero in `{}`", symbol(node)));
    case Fault::wrong_type:
      if (symbol(node).ends_with("in")) {
        return Error(ErrorCode::invalid_argument, fmt::format("`{}` needs a list or two strings", symbol(node)))
            .hint("a list of one is written `(x,)`");
      }
      return Error(ErrorCode::invalid_argument, fmt::format("`{}` cannot take values of these types", symbol(node)));
    case Fault::domain:
      return Error(ErrorCode::invalid_argument, fmt::format("`{}` has no real value for these numbers", symbol(node)));
    case Fault::unknown_name:
      return Error(ErrorCode::not_found, fmt::format("unknown name `{}`", source.names[node.name]));
    case Fault::none: break;
  }
  return Error(ErrorCode::internal, "no fault");
}

}  // namespace

SourcePosition position_in(const SourcePosition& start, std::string_view text, std::size_t offset) {
  SourcePosition position = start;
  if (!start.line || !start.column) return position;
  const std::string_view before = text.substr(0, offset);
  const std::size_t last_newline = before.rfind('\n');
  if (last_newline == std::string_view::npos) {
    *position.column += static_cast<int>(offset);
  } else {
    *position.line += static_cast<int>(std::count(before.begin(), before.end(), '\n'));
    position.column = static_cast<int>(offset - last_newline);
  }
  return position;
}

Error fault_error(Fault fault, const SourceText& source, const Expression::Node& node) {
  return message_of(fault, source, node).at(position_in(source.position, source.text, node.offset)).about(source.text);
}

Error fault_error(Fault fault, const Expression& expression, const Expression::Node& node) {
  return fault_error(fault, SourceText{expression.text(), expression.position(), expression.names()}, node);
}

}  // namespace wattune::space
