#include "tune/argument_contents.h"

#include <fmt/format.h>

#include <algorithm>

#include "wattune/measure/arguments.h"

namespace wattune::tune {

namespace {

constexpr std::string_view kIndex = "i";

// What evaluating one element of a fill expression needs, behind the void* of measure::ElementFunction.
struct FillContext {
  const space::Expression& expression;
  const Names& names;
};

Result<double> evaluate_element(void* context, std::size_t index) {
  const auto& fill = *static_cast<const FillContext*>(context);
  const Value i(static_cast<std::int64_t>(index));
  WATTUNE_ASSIGN(const Value value, fill.expression.evaluate([&](std::string_view name) {
    return name == kIndex ? &i : fill.names.constant(name);
  }));
  if (!value.is_number())
    return Error(ErrorCode::invalid_argument, "the fill expression gives a string")
        .at(fill.expression.position())
        .about(fill.expression.text());
  return value.as_real();
}

Result<space::Expression> compile_fill(const ExpressionText& text, const Names& names) {
  WATTUNE_ASSIGN(space::Expression expression, space::Expression::parse(text.text, text.position));
  WATTUNE_TRY(names.check(expression, kIndex));
  for (const std::string& name : expression.names())
    if (names.is_parameter(name) && name != kIndex)
      return Error(ErrorCode::invalid_argument, "contents must not depend on tuning parameters")
          .at(expression.position())
          .about(name);
  return expression;
}

}  // namespace

Result<void> ArgumentContents::compile(std::shared_ptr<const Names> names) {
  names_ = std::move(names);
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const auto* vector = std::get_if<VectorArgument>(&arguments_[i].kind);
    const auto* fill = vector != nullptr ? std::get_if<FillExpression>(&vector->fill) : nullptr;
    if (fill == nullptr) continue;
    Result<space::Expression> expression = compile_fill(fill->expression, *names_);
    if (!expression)
      return std::move(expression).error().with_context(fmt::format("argument `{}`", arguments_[i].name));
    slots_[i].fill = *std::move(expression);
  }
  return {};
}

Result<const std::vector<std::byte>*> ArgumentContents::get(std::size_t argument, std::size_t length) {
  Slot& slot = slots_[argument];
  if (slot.length == length && !slot.bytes.empty()) return &slot.bytes;
  const auto& vector = std::get<VectorArgument>(arguments_[argument].kind);
  // Seeded by position, so that two arguments with the same fill hold different numbers.
  const std::uint64_t seed = argument + 1;
  Result<std::vector<std::byte>> bytes = [&] {
    if (!slot.fill) return measure::make_contents(vector, length, seed);
    FillContext context{*slot.fill, *names_};
    return measure::make_contents(vector, length, seed, evaluate_element, &context);
  }();
  if (!bytes) return std::move(bytes).error().at(arguments_[argument].position);
  slot.length = length;
  slot.bytes = *std::move(bytes);
  return &slot.bytes;
}

}  // namespace wattune::tune
