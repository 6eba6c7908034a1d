// Parses lists of parameter values as T1 files write them (Expression::parse_list).
//
//   list           = term {"+" term}
//   term           = "list" "(" list ")" | "range" "(" [start ","] stop ["," step] ")" | "(" list ")"
//                  | "[" [expression {"," expression} [","]] "]"
//                  | "[" expression "for" name "in" list {"for" name "in" list | "if" condition} "]"
//
// The text is parsed into a tree of Lists, because a comprehension's element stands before its variables. The tree is
// then expanded.
#include <fmt/format.h>

#include <deque>
#include <optional>
#include <utility>

#include "core/interface/suggest.h"
#include "space/expression/expression_evaluate.h"
#include "space/expression/expression_parser.h"

namespace wattune::inline v0_1::space {

namespace {

using Node = Expression::Node;

// The largest number of elements in all lists together, including the values of loop variables. This limit bounds time
// and memory, whatever the text contains.
constexpr std::size_t kMaxElements = 1'000'000;
constexpr std::size_t kMaxClauses = 20;

struct List;

// A clause "for variable in list", or "if condition" if there is no list.
struct Clause {
  std::uint32_t variable = 0;
  std::vector<List> list;  // the list of `for`; empty for a condition
  Node condition;
};

struct List {
  enum class Kind { elements, range, comprehension, concatenation };
  Kind kind = Kind::elements;
  std::uint32_t offset = 0;
  std::vector<Node> nodes;  // the elements; start, stop and step; or the comprehension's element
  std::vector<Clause> clauses;
  std::vector<List> parts;  // parts of a concatenation
};

// --- reading ------------------------------------------------------------------------------------------------------

class ListParser {
 public:
  explicit ListParser(Parser& parser) : parser_(parser) {}

  Result<List> list() {
    const Parser::Nesting nesting(parser_);
    if (nesting.too_deep()) return parser_.too_deep();
    WATTUNE_ASSIGN(List first, term());
    if (!parser_.token().is("+")) return first;
    List sum;
    sum.kind = List::Kind::concatenation;
    sum.parts.push_back(std::move(first));
    while (parser_.take_if("+")) {
      WATTUNE_ASSIGN(List part, term());
      sum.parts.push_back(std::move(part));
    }
    return sum;
  }

 private:
  Result<List> term() {
    const bool is_list_call = parser_.token().kind == Token::Kind::name && parser_.token().text == "list";
    if (is_list_call) parser_.take();
    if (is_list_call || parser_.token().is("(")) {
      WATTUNE_TRY(parser_.expect("("));
      WATTUNE_ASSIGN(List inner, list());
      WATTUNE_TRY(parser_.expect(")"));
      return inner;
    }
    if (parser_.token().kind == Token::Kind::name && parser_.token().text == "range") return range();
    if (parser_.token().is("[")) return bracketed();
    return parser_.fail_at(parser_.token().offset, "expected a list", "such as `[1, 2, 4]` or `range(1, 9)`");
  }

  Result<List> range() {
    List range;
    range.kind = List::Kind::range;
    range.offset = parser_.take().offset;
    WATTUNE_TRY(parser_.expect("("));
    WATTUNE_ASSIGN(range.nodes, nodes_up_to(")"));
    if (range.nodes.empty() || range.nodes.size() > 3) {
      return parser_.fail_at(range.offset, "wrong number of arguments for `range`", "it takes 1 to 3");
    }
    return range;
  }

  Result<List> bracketed() {
    List list;
    list.offset = parser_.take().offset;
    if (parser_.take_if("]")) return list;
    WATTUNE_ASSIGN(Node first, element());
    if (parser_.token().is("for")) return comprehension(std::move(list), std::move(first));
    if (!parser_.token().is("]")) WATTUNE_TRY(parser_.expect(","));
    WATTUNE_ASSIGN(list.nodes, nodes_up_to("]"));
    list.nodes.insert(list.nodes.begin(), std::move(first));
    return list;
  }

  Result<List> comprehension(List list, Node first) {
    list.kind = List::Kind::comprehension;
    list.nodes.push_back(std::move(first));
    while (!parser_.take_if("]")) {
      if (list.clauses.size() == kMaxClauses) return parser_.too_deep();
      WATTUNE_ASSIGN(Clause clause, next_clause());
      list.clauses.push_back(std::move(clause));
    }
    return list;
  }

  Result<Clause> next_clause() {
    Clause clause;
    if (parser_.take_if("if")) {
      WATTUNE_ASSIGN(clause.condition, parser_.disjunction());
      WATTUNE_TRY(parser_.check_lists(clause.condition));
      return clause;
    }
    WATTUNE_TRY(parser_.expect("for"));
    if (parser_.token().kind != Token::Kind::name) return parser_.unexpected();
    clause.variable = parser_.name_index(parser_.take().text);
    WATTUNE_TRY(parser_.expect("in"));
    WATTUNE_ASSIGN(List iterated, list());
    clause.list.push_back(std::move(iterated));
    return clause;
  }

  Result<std::vector<Node>> nodes_up_to(std::string_view closing) {
    std::vector<Node> nodes;
    while (!parser_.take_if(closing)) {
      WATTUNE_ASSIGN(Node node, element());
      nodes.push_back(std::move(node));
      if (!parser_.token().is(closing)) WATTUNE_TRY(parser_.expect(","));
    }
    return nodes;
  }

  Result<Node> element() {
    WATTUNE_ASSIGN(Node node, parser_.expression());
    WATTUNE_TRY(parser_.check_lists(node));
    return node;
  }

  Parser& parser_;
};

// --- expanding ----------------------------------------------------------------------------------------------------

class ListExpander {
 public:
  ListExpander(const SourceText& source, const Expression::Constants& constants)
      : source_(source),
        constants_(constants),
        variables_(source.names.size()),
        name_value_([this](std::uint32_t name) { return value_of_name(name); }) {}

  // Appends the elements of the list.
  Result<void> expand(const List& list, std::vector<Value>& values) {
    switch (list.kind) {
      case List::Kind::elements: return expand_elements(list, values);
      case List::Kind::range: return expand_range(list, values);
      case List::Kind::comprehension: return expand_clauses(list, 0, values);
      case List::Kind::concatenation: break;
    }
    for (const List& part : list.parts) WATTUNE_TRY(expand(part, values));
    return {};
  }

 private:
  // Returns the value of a name, or nullptr if there is none. A variable hides a constant of the same name.
  const Value* value_of_name(std::uint32_t name) const {
    if (variables_[name]) return &*variables_[name];
    const auto constant = constants_.find(source_.names[name]);
    return constant == constants_.end() ? nullptr : &constant->second;
  }

  Result<Value> value_of(const Node& node) const {
    Scalar result;
    if (const Failure failure = evaluate(node, name_value_, result)) {
      Error error = fault_error(failure.fault, source_, *failure.node);
      if (failure.fault != Fault::unknown_name) return error;
      return std::move(error).hint(suggest(source_.names[failure.node->name], names_in_scope()));
    }
    return result.to_value();
  }

  std::vector<std::string> names_in_scope() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      if (variables_[i]) names.push_back(source_.names[i]);
    }
    for (const auto& [name, value] : constants_) names.push_back(name);
    return names;
  }

  Error fail(const List& list, ErrorCode code, std::string message) const {
    return Error(code, std::move(message))
        .at(position_in(source_.position, source_.text, list.offset))
        .about(source_.text);
  }

  Result<void> append(const List& list, Value value, std::vector<Value>& values) {
    if (++produced_ > kMaxElements) {
      return fail(list, ErrorCode::out_of_range, fmt::format("list of more than {} elements", kMaxElements));
    }
    values.push_back(std::move(value));
    return {};
  }

  Result<void> expand_elements(const List& list, std::vector<Value>& values) {
    for (const Node& node : list.nodes) {
      WATTUNE_ASSIGN(Value value, value_of(node));
      WATTUNE_TRY(append(list, std::move(value), values));
    }
    return {};
  }

  Result<void> expand_range(const List& list, std::vector<Value>& values) {
    std::int64_t start = 0;
    std::int64_t stop = 0;
    std::int64_t step = 1;
    const bool only_stop = list.nodes.size() == 1;
    std::int64_t* const places[] = {only_stop ? &stop : &start, &stop, &step};
    for (std::size_t i = 0; i < list.nodes.size(); ++i) {
      WATTUNE_ASSIGN(const Value value, value_of(list.nodes[i]));
      if (!value.is_integral()) return fail(list, ErrorCode::invalid_argument, "`range` takes integers only");
      *places[i] = value.as_integer();
    }
    if (step == 0) return fail(list, ErrorCode::invalid_argument, "the step of `range` is 0");
    for (std::int64_t i = start; step > 0 ? i < stop : i > stop;) {
      WATTUNE_TRY(append(list, Value(i), values));
      if (add(i, step, i) != Fault::none) break;  // a sum that overflows is past `stop`
    }
    return {};
  }

  // Runs the clauses from `first` on. Appends the element each time when all clauses are passed.
  Result<void> expand_clauses(const List& list, std::size_t first, std::vector<Value>& values) {
    if (first == list.clauses.size()) {
      WATTUNE_ASSIGN(Value value, value_of(list.nodes[0]));
      return append(list, std::move(value), values);
    }
    const Clause& clause = list.clauses[first];
    if (clause.list.empty()) {
      WATTUNE_ASSIGN(const Value holds, value_of(clause.condition));
      return Scalar(holds).truth() ? expand_clauses(list, first + 1, values) : Result<void>();
    }
    std::vector<Value> iterated;
    WATTUNE_TRY(expand(clause.list[0], iterated));
    std::optional<Value> shadowed = std::exchange(variables_[clause.variable], std::nullopt);
    for (Value& value : iterated) {
      variables_[clause.variable] = std::move(value);
      WATTUNE_TRY(expand_clauses(list, first + 1, values));
    }
    variables_[clause.variable] = std::move(shadowed);
    return {};
  }

  const SourceText& source_;
  const Expression::Constants& constants_;
  std::vector<std::optional<Value>> variables_;  // values of loop variables, by index of the name
  NameValue name_value_;
  std::size_t produced_ = 0;
};

}  // namespace

Result<std::vector<Value>> Expression::parse_list(std::string_view text, const SourcePosition& position,
                                                  const Constants& constants) {
  WATTUNE_ASSIGN(Parser parser, Parser::open(text, position));
  WATTUNE_ASSIGN(const List list, ListParser(parser).list());
  WATTUNE_TRY(parser.expect_end());
  std::vector<Value> values;
  WATTUNE_TRY(ListExpander(parser.source(), constants).expand(list, values));
  return values;
}

}  // namespace wattune::space
