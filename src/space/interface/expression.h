// Constraints, sizes and values in Kernel Tuner's string syntax, with Python's semantics.
//
// The syntax has numbers, strings, names and True/False; + - * / // % **; comparisons, also chained; and/or/not
// (short-circuit, returning an operand as in Python); in / not in with (...) or [...]; x if c else y; subscripts of
// names such as ProblemSize[0].
// Functions are min max abs ceil floor round sqrt log2 pow int float bool len, also as math.ceil or np.ceil.
// `/` is true division; // and % round towards minus infinity. Integers have 64 bits, and an overflow is an error,
// never a wrong answer. The full grammar is in docs/formats/expressions.md. Immutable after parse; safe to share
// between threads.
//
//   WATTUNE_ASSIGN(auto e, Expression::parse("32 <= block_x * block_y <= 1024"));
//   e.evaluate([&](std::string_view name) { return lookup(name); });
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"
#include "wattune/core/value.h"

namespace wattune::inline v0_1::space {

class Expression {
 public:
  // A function that returns the value of a name, or nullptr if the name has no value. The value must live until the
  // evaluation returns.
  using Lookup = std::function<const Value*(std::string_view name)>;
  using Constants = std::map<std::string, Value, std::less<>>;

  // Parses an expression. `position` is the place of the text's first character in the user's file; errors point into
  // that file. Fails with parse_error, or with out_of_range if a number is too large.
  static Result<Expression> parse(std::string_view text, const SourcePosition& position = {});
  // Evaluates a list such as "[1, 2, 4]" or "range(1, 9)" or "[2**i for i in range(5)]": a list of values in T1. The
  // list may use the names in `constants` and those that it defines itself. Fails as parse() and evaluate() do, and
  // with out_of_range for more than a million elements.
  static Result<std::vector<Value>> parse_list(std::string_view text, const SourcePosition& position = {},
                                               const Constants& constants = {});

  const std::string& text() const;
  const SourcePosition& position() const;
  // Returns the names that the expression reads, each once, in order of first appearance. A subscripted name appears as
  // "ProblemSize[0]".
  const std::vector<std::string>& names() const;

  // Evaluates the expression. Fails with not_found (unknown name), invalid_argument (division by zero, wrong types) or
  // out_of_range (overflow).
  Result<Value> evaluate(const Lookup& lookup) const;
  // Evaluates the expression to Python's truth value, or to a size. Both functions fail as evaluate() does. A size
  // fails with invalid_argument if it is not a whole number of at least 0.
  Result<bool> evaluate_bool(const Lookup& lookup) const;
  Result<std::size_t> evaluate_size(const Lookup& lookup) const;

  struct Node;  // the syntax tree (src/space/expression/expression_tree.h)
  const Node& root() const;

 private:
  struct Data;
  explicit Expression(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

}  // namespace wattune::space
