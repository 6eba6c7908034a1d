#include "space/interface/expression.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "space/expression/expression_evaluate.h"
#include "space/expression/expression_parser.h"
#include "space/expression/expression_tree.h"

namespace wattune::inline v0_1::space {

struct Expression::Data {
  SourceText source;
  Node root;
};

namespace {

Result<Scalar> evaluate_scalar(const Expression& expression, const Expression::Lookup& lookup) {
  const NameValue name_value = [&](std::uint32_t name) { return lookup(expression.names()[name]); };
  Scalar result;
  if (const Failure failure = evaluate(expression.root(), name_value, result)) {
    return fault_error(failure.fault, expression, *failure.node);
  }
  return result;
}

}  // namespace

Result<Expression> Expression::parse(std::string_view text, const SourcePosition& position) {
  WATTUNE_ASSIGN(Parser parser, Parser::open(text, position));
  WATTUNE_ASSIGN(Node root, parser.expression());
  WATTUNE_TRY(parser.expect_end());
  WATTUNE_TRY(parser.check_lists(root));
  return Expression(std::make_shared<const Data>(Data{std::move(parser).take_source(), std::move(root)}));
}

const std::string& Expression::text() const { return data_->source.text; }
const SourcePosition& Expression::position() const { return data_->source.position; }
const std::vector<std::string>& Expression::names() const { return data_->source.names; }
const Expression::Node& Expression::root() const { return data_->root; }

Result<Value> Expression::evaluate(const Lookup& lookup) const {
  WATTUNE_ASSIGN(const Scalar result, evaluate_scalar(*this, lookup));
  return result.to_value();
}

Result<bool> Expression::evaluate_bool(const Lookup& lookup) const {
  WATTUNE_ASSIGN(const Scalar result, evaluate_scalar(*this, lookup));
  return result.truth();
}

Result<std::size_t> Expression::evaluate_size(const Lookup& lookup) const {
  constexpr double kTwoTo63 = 0x1p63;
  WATTUNE_ASSIGN(const Scalar result, evaluate_scalar(*this, lookup));
  if (result.is_integral() && result.integer >= 0) return static_cast<std::size_t>(result.integer);
  if (result.kind == Value::Kind::real && result.real >= 0.0 && result.real < kTwoTo63 &&
      result.real == std::floor(result.real)) {
    return static_cast<std::size_t>(result.real);
  }
  const bool is_quotient = result.kind == Value::Kind::real && text().find('/') != std::string::npos;
  return Error(ErrorCode::invalid_argument,
               fmt::format("size is {}, not a whole number from 0 on", result.to_value().to_string()))
      .at(position())
      .about(text())
      .hint(is_quotient ? "`//` divides integers" : "");
}

}  // namespace wattune::space
