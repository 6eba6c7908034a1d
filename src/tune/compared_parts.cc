#include "tune/compared_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "tune/geometry_plan.h"
#include "wattune/measure/output_check.h"

namespace wattune::tune {

namespace {

// What is compared at once: elements of one type.
struct Part {
  std::string name;
  ElementType type = ElementType::float32;
  std::vector<std::byte> elements;
};

Part field_of(const VectorArgument& vector, std::size_t field, std::span<const std::byte> structs) {
  const StructLayout layout = layout_of(vector.fields);
  const ElementType type = vector.fields[field].type;
  const std::size_t size = size_in_bytes(type);
  Part part{"." + vector.fields[field].name, type, std::vector<std::byte>(structs.size() / layout.bytes * size)};
  for (std::size_t i = 0; i * layout.bytes < structs.size(); ++i)
    std::memcpy(part.elements.data() + i * size, structs.data() + i * layout.bytes + layout.offsets[field], size);
  return part;
}

std::vector<Part> fields_of(const VectorArgument& vector, std::span<const std::byte> contents) {
  std::vector<Part> parts;
  for (std::size_t f = 0; f < vector.fields.size(); ++f) parts.push_back(field_of(vector, f, contents));
  return parts;
}

std::string different(const std::string& name, ElementType type, const VectorArgument& vector,
                      const Tolerance& tolerance, std::span<const std::byte> actual,
                      std::span<const std::byte> expected) {
  const measure::ResolvedTolerance resolved = measure::resolve_tolerance(tolerance, type);
  if (vector.comparison == OutputComparison::sum) {
    const double sums[] = {measure::sum(actual, type), measure::sum(expected, type)};
    const auto bytes = std::as_bytes(std::span(sums));
    const bool good =
        !measure::compare(bytes.first<sizeof(double)>(), bytes.last<sizeof(double)>(), ElementType::float64, resolved);
    return good ? std::string() : fmt::format("`{}`: the sum should be {}, it is {}", name, sums[1], sums[0]);
  }
  const auto mismatch = measure::compare(actual, expected, type, resolved);
  return mismatch ? mismatch->to_string(name) : std::string();
}

}  // namespace

std::string difference(const Argument& argument, const Tolerance& tolerance, std::optional<std::size_t> length,
                       std::span<const std::byte> actual, std::span<const std::byte> expected) {
  const auto& vector = std::get<VectorArgument>(argument.kind);
  if (length) {
    const std::size_t bytes = *length * element_bytes(vector);
    if (std::min(actual.size(), expected.size()) < bytes)
      return fmt::format("`{}`: has fewer than the {} elements to compare", argument.name, *length);
    actual = actual.first(bytes);
    expected = expected.first(bytes);
  }
  if (vector.fields.empty()) return different(argument.name, vector.type, vector, tolerance, actual, expected);
  const std::vector<Part> seen = fields_of(vector, actual);
  const std::vector<Part> wanted = fields_of(vector, expected);
  for (std::size_t f = 0; f < seen.size(); ++f) {
    std::string wrong =
        different(argument.name + seen[f].name, seen[f].type, vector, tolerance, seen[f].elements, wanted[f].elements);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

bool is_comparable(const VectorArgument& output, bool fixed_length) {
  if (output.comparison == OutputComparison::none) return false;
  return fixed_length || output.comparison == OutputComparison::sum || !output.compared_length.text.empty();
}

Result<std::optional<std::size_t>> compared_length(const VectorArgument& output,
                                                   const std::shared_ptr<const Names>& names) {
  const ExpressionText& text = output.compared_length;
  if (text.text.empty()) return std::optional<std::size_t>();
  WATTUNE_ASSIGN(const SizeFormula formula, compile_positive(text, names));
  if (!formula.fixed())
    return Error(ErrorCode::invalid_argument, "`compare_length` must not depend on tuning parameters")
        .at(text.position)
        .about(text.text);
  WATTUNE_ASSIGN(const std::size_t length, formula.evaluate(Configuration()));
  return std::optional(length);
}

}  // namespace wattune::tune
