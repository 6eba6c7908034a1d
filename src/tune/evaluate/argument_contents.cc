#include "tune/interface/argument_contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "measure/interface/arguments.h"

namespace wattune::inline v0_1::tune {

namespace {

constexpr std::string_view kIndex = "i";

// The data with which one element of a fill expression is evaluated. The void* of measure::ElementFunction points to
// them.
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
    if (vector == nullptr) continue;
    std::vector<const Fill*> fills;
    for (const BufferField& field : vector->fields) fills.push_back(&field.fill);
    if (fills.empty()) fills.push_back(&vector->fill);
    for (const Fill* fill : fills) {
      Result<FillExpressionOf> expression = compile(*fill);
      if (!expression)
        return std::move(expression).error().with_context(fmt::format("argument `{}`", arguments_[i].name));
      slots_[i].fills.push_back(*std::move(expression));
    }
  }
  return {};
}

Result<ArgumentContents::FillExpressionOf> ArgumentContents::compile(const Fill& fill) const {
  const auto* expression = std::get_if<FillExpression>(&fill);
  if (expression == nullptr) return FillExpressionOf();
  WATTUNE_ASSIGN(space::Expression compiled, compile_fill(expression->expression, *names_));
  return FillExpressionOf(std::move(compiled));
}

Result<std::vector<std::byte>> ArgumentContents::fill(const VectorArgument& vector, const FillExpressionOf& expression,
                                                      std::size_t length, std::uint64_t seed) const {
  if (!expression) return measure::make_contents(vector, length, seed);
  FillContext context{*expression, *names_};
  return measure::make_contents(vector, length, seed, evaluate_element, &context);
}

Result<std::vector<std::byte>> ArgumentContents::fill_structs(const VectorArgument& vector, const Slot& slot,
                                                              std::size_t length, std::uint64_t seed) const {
  const StructLayout layout = layout_of(vector.fields);
  if (const auto* file = std::get_if<FillFile>(&vector.fill))
    return measure::read_data_file(file->path, ElementType::uint8, length * layout.bytes);
  std::vector<std::byte> structs(length * layout.bytes);
  for (std::size_t f = 0; f < vector.fields.size(); ++f) {
    VectorArgument column;
    column.type = vector.fields[f].type;
    column.fill = vector.fields[f].fill;
    WATTUNE_ASSIGN(const auto values, fill(column, slot.fills[f], length, seed + (std::uint64_t{f} << 32U)));
    const std::size_t size = size_in_bytes(column.type);
    for (std::size_t i = 0; i < length; ++i)
      std::memcpy(structs.data() + i * layout.bytes + layout.offsets[f], values.data() + i * size, size);
  }
  return structs;
}

Result<std::span<const std::byte>> ArgumentContents::get(std::size_t argument, std::size_t length) {
  Slot& slot = slots_[argument];
  const auto& vector = std::get<VectorArgument>(arguments_[argument].kind);
  if (const SharedBytes& given = given_[argument]) {
    const std::size_t bytes = length * element_bytes(vector);
    if (given->size() >= bytes) return std::span(*given).first(bytes);
    return Error(ErrorCode::mismatch, fmt::format("argument `{}` has {} elements, and is given {} bytes",
                                                  arguments_[argument].name, length, given->size()));
  }
  if (slot.length == length && !slot.bytes.empty()) return std::span<const std::byte>(slot.bytes);
  // The seed depends on the argument's position, so that two arguments with the same fill hold different numbers.
  const std::uint64_t seed = argument + 1;
  Result<std::vector<std::byte>> bytes =
      vector.fields.empty() ? fill(vector, slot.fills.front(), length, seed) : fill_structs(vector, slot, length, seed);
  if (!bytes) return std::move(bytes).error().at(arguments_[argument].position);
  slot.length = length;
  slot.bytes = *std::move(bytes);
  return std::span<const std::byte>(slot.bytes);
}

}  // namespace wattune::tune
