#include "space/expression/expression_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/interface/suggest.h"

namespace wattune::inline v0_1::space {

namespace {

struct KnownFunction {
  std::string_view name;
  Function function;
  std::size_t min_arguments = 1;
  std::size_t max_arguments = 1;
};

constexpr std::size_t kAnyNumber = ~std::size_t{0};
constexpr auto kKnownFunctions = std::to_array<KnownFunction>({
    {"min", Function::minimum, 1, kAnyNumber},
    {"max", Function::maximum, 1, kAnyNumber},
    {"abs", Function::absolute},
    {"ceil", Function::ceil},
    {"floor", Function::floor},
    {"round", Function::round, 1, 2},
    {"sqrt", Function::sqrt},
    {"log2", Function::log2},
    {"pow", Function::power, 2, 2},
    {"int", Function::to_int},
    {"float", Function::to_float},
    {"bool", Function::to_bool},
    {"len", Function::length},
    {"math.ceil", Function::ceil},
    {"math.floor", Function::floor},
    {"math.sqrt", Function::sqrt},
    {"math.log2", Function::log2},
    {"math.pow", Function::power_real, 2, 2},
    {"np.ceil", Function::ceil_real},
    {"np.floor", Function::floor_real},
    {"np.sqrt", Function::sqrt},
    {"np.log2", Function::log2},
    {"np.abs", Function::absolute},
    {"np.minimum", Function::minimum, 2, 2},
    {"np.maximum", Function::maximum, 2, 2},
});

const KnownFunction* find_function(std::string_view name) {
  const std::string short_name = name.starts_with("numpy.") ? "np." + std::string(name.substr(6)) : std::string(name);
  const auto found = std::find_if(kKnownFunctions.begin(), kKnownFunctions.end(),
                                  [&](const KnownFunction& known) { return known.name == short_name; });
  return found == kKnownFunctions.end() ? nullptr : &*found;
}

std::string nearest_function(const std::string& name) {
  std::vector<std::string> names;
  for (const KnownFunction& known : kKnownFunctions) names.emplace_back(known.name);
  const std::string nearest = suggest(name, names);
  return nearest.empty() ? "functions: min max abs ceil floor round sqrt log2 pow int float bool len" : nearest;
}

std::string arity(const KnownFunction& known) {
  if (known.max_arguments == kAnyNumber) return "it takes one or more";
  if (known.min_arguments == known.max_arguments) return fmt::format("it takes {}", known.min_arguments);
  return fmt::format("it takes {} or {}", known.min_arguments, known.max_arguments);
}

// Returns the Python operator that a user probably means by the spelling of another language. Returns an empty text for
// other words.
std::string advice_on(std::string_view word) {
  if (word == "AND" || word == "And") return "write `and`";
  if (word == "OR" || word == "Or") return "write `or`";
  return word == "{" ? "lists stand in ( ) or [ ]" : "";
}

std::string quoted(const Token& token) {
  constexpr std::size_t kMaxShown = 40;
  if (token.kind == Token::Kind::end) return "the end";
  return token.text.size() > kMaxShown ? fmt::format("`{}...`", token.text.substr(0, kMaxShown))
                                       : fmt::format("`{}`", token.text);
}

Expression::Node binary_node(BinaryOperator op, std::uint32_t offset, Expression::Node left, Expression::Node right) {
  Expression::Node node;
  node.kind = NodeKind::binary;
  node.binary = op;
  node.offset = offset;
  node.children.push_back(std::move(left));
  node.children.push_back(std::move(right));
  return node;
}

}  // namespace

Parser::Parser(std::string_view text, const SourcePosition& position, std::vector<Token> tokens)
    : source_{std::string(text), position, {}}, tokens_(std::move(tokens)) {}

Result<Parser> Parser::open(std::string_view text, const SourcePosition& position) {
  WATTUNE_ASSIGN(std::vector<Token> tokens, tokenize(text, position));
  if (tokens.size() == 1) return Error(ErrorCode::parse_error, "empty expression").at(position);
  return Parser(text, position, std::move(tokens));
}

// --- the grammar --------------------------------------------------------------------------------------------------

Result<Expression::Node> Parser::expression() {
  const Nesting nesting(*this);
  if (nesting.too_deep()) return too_deep();
  WATTUNE_ASSIGN(Node value, disjunction());
  if (!token().is("if")) return value;
  Node node;
  node.kind = NodeKind::conditional;
  node.offset = take().offset;
  WATTUNE_ASSIGN(Node condition, disjunction());
  WATTUNE_TRY(expect("else"));
  WATTUNE_ASSIGN(Node otherwise, expression());
  node.children.push_back(std::move(condition));
  node.children.push_back(std::move(value));
  node.children.push_back(std::move(otherwise));
  return finish(std::move(node));
}

Result<Expression::Node> Parser::disjunction() {
  WATTUNE_ASSIGN(Node first, conjunction());
  if (!token().is("or")) return first;
  Node node;
  node.kind = NodeKind::logical_or;
  node.offset = token().offset;
  node.children.push_back(std::move(first));
  while (take_if("or")) {
    WATTUNE_ASSIGN(Node operand, conjunction());
    node.children.push_back(std::move(operand));
  }
  return finish(std::move(node));
}

Result<Expression::Node> Parser::conjunction() {
  WATTUNE_ASSIGN(Node first, inversion());
  if (!token().is("and")) return first;
  Node node;
  node.kind = NodeKind::logical_and;
  node.offset = token().offset;
  node.children.push_back(std::move(first));
  while (take_if("and")) {
    WATTUNE_ASSIGN(Node operand, inversion());
    node.children.push_back(std::move(operand));
  }
  return finish(std::move(node));
}

Result<Expression::Node> Parser::inversion() {
  if (!token().is("not")) return comparison();
  const Nesting nesting(*this);
  if (nesting.too_deep()) return too_deep();
  Node node;
  node.kind = NodeKind::unary;
  node.unary = UnaryOperator::logical_not;
  node.offset = take().offset;
  WATTUNE_ASSIGN(Node operand, inversion());
  node.children.push_back(std::move(operand));
  return finish(std::move(node));
}

Result<Expression::Node> Parser::comparison() {
  WATTUNE_ASSIGN(Node first, sum());
  Node node;
  node.kind = NodeKind::comparison;
  node.offset = token().offset;
  node.children.push_back(std::move(first));
  for (Comparison comparison{}; take_comparison(comparison);) {
    WATTUNE_ASSIGN(Node operand, sum());
    node.comparisons.push_back(comparison);
    node.children.push_back(std::move(operand));
  }
  if (node.comparisons.empty()) return std::move(node.children.front());
  return finish(std::move(node));
}

bool Parser::take_comparison(Comparison& comparison) {
  constexpr auto kComparisons = std::to_array<std::pair<std::string_view, Comparison>>({
      {"==", Comparison::equal},
      {"!=", Comparison::not_equal},
      {"<", Comparison::less},
      {"<=", Comparison::less_equal},
      {">", Comparison::greater},
      {">=", Comparison::greater_equal},
      {"in", Comparison::in},
  });
  for (const auto& [text, candidate] : kComparisons) {
    if (!take_if(text)) continue;
    comparison = candidate;
    return true;
  }
  if (!token().is("not") || !tokens_[at_ + 1].is("in")) return false;
  at_ += 2;
  comparison = Comparison::not_in;
  return true;
}

Result<Expression::Node> Parser::sum() {
  WATTUNE_ASSIGN(Node left, term());
  while (token().is("+") || token().is("-")) {
    const Token op = take();
    WATTUNE_ASSIGN(Node right, term());
    const BinaryOperator binary = op.text == "+" ? BinaryOperator::add : BinaryOperator::subtract;
    WATTUNE_ASSIGN(left, finish(binary_node(binary, op.offset, std::move(left), std::move(right))));
  }
  return left;
}

Result<Expression::Node> Parser::term() {
  constexpr auto kOperators = std::to_array<std::pair<std::string_view, BinaryOperator>>({
      {"*", BinaryOperator::multiply},
      {"/", BinaryOperator::divide},
      {"//", BinaryOperator::floor_divide},
      {"%", BinaryOperator::modulo},
  });
  WATTUNE_ASSIGN(Node left, factor());
  for (;;) {
    const auto op = std::find_if(kOperators.begin(), kOperators.end(),
                                 [&](const auto& candidate) { return token().is(candidate.first); });
    if (op == kOperators.end()) return left;
    const std::uint32_t offset = take().offset;
    WATTUNE_ASSIGN(Node right, factor());
    WATTUNE_ASSIGN(left, finish(binary_node(op->second, offset, std::move(left), std::move(right))));
  }
}

Result<Expression::Node> Parser::factor() {
  if (!token().is("-") && !token().is("+")) return power();
  const Nesting nesting(*this);
  if (nesting.too_deep()) return too_deep();
  Node node;
  node.kind = NodeKind::unary;
  node.unary = token().is("-") ? UnaryOperator::negate : UnaryOperator::plus;
  node.offset = take().offset;
  WATTUNE_ASSIGN(Node operand, factor());
  node.children.push_back(std::move(operand));
  return finish(std::move(node));
}

// Parses a power. `**` binds more tightly than a sign to its left, and less tightly than a sign to its right.
Result<Expression::Node> Parser::power() {
  WATTUNE_ASSIGN(Node base, atom());
  if (!token().is("**")) return base;
  const Nesting nesting(*this);
  if (nesting.too_deep()) return too_deep();
  const std::uint32_t offset = take().offset;
  WATTUNE_ASSIGN(Node exponent, factor());
  return finish(binary_node(BinaryOperator::power, offset, std::move(base), std::move(exponent)));
}

Result<Expression::Node> Parser::atom() {
  if (token().is("(")) return parenthesised();
  Node node;
  node.offset = token().offset;
  if (take_if("[")) {
    node.kind = NodeKind::list;
    WATTUNE_ASSIGN(node.children, elements("]"));
    return finish(std::move(node));
  }
  if (token().kind == Token::Kind::literal) {
    node.literal = take().literal;
    return node;
  }
  if (token().kind != Token::Kind::name) return unexpected();
  if (tokens_[at_ + 1].is("(")) return call();
  node.kind = NodeKind::name;
  node.name = name_index(take().text);
  return node;
}

// Parses an expression in parentheses: (a) is a, whereas (), (a,) and (a, b) are lists.
Result<Expression::Node> Parser::parenthesised() {
  Node list;
  list.kind = NodeKind::list;
  list.offset = take().offset;
  if (take_if(")")) return list;
  WATTUNE_ASSIGN(Node first, expression());
  if (take_if(")")) return first;
  if (!token().is(",")) return unexpected();
  take();
  WATTUNE_ASSIGN(list.children, elements(")"));
  list.children.insert(list.children.begin(), std::move(first));
  return finish(std::move(list));
}

Result<std::vector<Expression::Node>> Parser::elements(std::string_view closing) {
  std::vector<Node> nodes;
  while (!take_if(closing)) {
    WATTUNE_ASSIGN(Node element, expression());
    nodes.push_back(std::move(element));
    if (!token().is(closing)) WATTUNE_TRY(expect(","));
  }
  return nodes;
}

Result<Expression::Node> Parser::call() {
  const Token name = take();
  const KnownFunction* known = find_function(name.text);
  if (known == nullptr) {
    return fail_at(name.offset, fmt::format("unknown function {}", quoted(name)), nearest_function(name.text));
  }
  Node node;
  node.kind = NodeKind::call;
  node.function = known->function;
  node.offset = name.offset;
  take();
  WATTUNE_ASSIGN(node.children, elements(")"));
  const bool takes_list = known->max_arguments == kAnyNumber;
  if (takes_list && node.children.size() == 1 && node.children[0].kind == NodeKind::list) {
    node.children = std::vector<Node>(std::move(node.children[0].children));
  }
  if (node.children.size() < known->min_arguments || node.children.size() > known->max_arguments) {
    return fail_at(name.offset, fmt::format("wrong number of arguments for `{}`", name.text), arity(*known));
  }
  return finish(std::move(node));
}

// --- helpers ------------------------------------------------------------------------------------------------------

Result<Expression::Node> Parser::finish(Node node) const {
  int height = 0;
  for (const Node& child : node.children) height = std::max<int>(height, child.height);
  if (height >= kMaxHeight) return too_deep();
  node.height = static_cast<std::uint16_t>(height + 1);
  return node;
}

Result<void> Parser::check_lists(const Node& node) const {
  if (node.kind == NodeKind::list) {
    return fail_at(node.offset, "a list can only stand to the right of `in` and `not in`");
  }
  for (const Node& child : node.children) {
    const bool is_in = node.kind == NodeKind::comparison && &child == &node.children.back() &&
                       (node.comparisons.back() == Comparison::in || node.comparisons.back() == Comparison::not_in);
    if (!is_in || child.kind != NodeKind::list) {
      WATTUNE_TRY(check_lists(child));
      continue;
    }
    for (const Node& element : child.children) WATTUNE_TRY(check_lists(element));
  }
  return {};
}

bool Parser::take_if(std::string_view symbol) {
  if (!token().is(symbol)) return false;
  ++at_;
  return true;
}

Result<void> Parser::expect(std::string_view symbol) {
  if (take_if(symbol)) return {};
  return fail_at(token().offset, fmt::format("expected `{}` but found {}", symbol, quoted(token())));
}

Result<void> Parser::expect_end() const {
  if (token().kind == Token::Kind::end) return {};
  return unexpected();
}

std::uint32_t Parser::name_index(const std::string& name) {
  const auto [entry, is_new] = name_indices_.try_emplace(name, static_cast<std::uint32_t>(source_.names.size()));
  if (is_new) source_.names.push_back(name);
  return entry->second;
}

Error Parser::unexpected() const {
  const bool ends = token().kind == Token::Kind::end;
  return fail_at(token().offset, ends ? "it ends too early" : fmt::format("unexpected {}", quoted(token())),
                 advice_on(token().text));
}

Error Parser::too_deep() const { return fail_at(token().offset, "expression nested too deeply"); }

Error Parser::fail_at(std::size_t offset, std::string message, std::string hint) const {
  return Error(ErrorCode::parse_error, std::move(message))
      .at(position_in(source_.position, source_.text, offset))
      .about(source_.text)
      .hint(std::move(hint));
}

}  // namespace wattune::space
