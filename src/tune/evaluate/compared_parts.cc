#include "tune/interface/compared_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "tune/evaluate/geometry_plan.h"

namespace wattune::inline v0_1::tune {

namespace {

// A part of an output that is compared as a whole. Its elements have the same type.
struct Part {
  std::string name;
  ElementType type = ElementType::float32;
  std::span<const std::byte> elements;
  std::vector<std::byte> gathered = {};  // copies of the elements, if they come from structs
};

Part field_of(const std::string& name, const VectorArgument& vector, std::size_t field,
              std::span<const std::byte> structs) {
  const StructLayout layout = layout_of(vector.fields);
  const ElementType type = vector.fields[field].type;
  const std::size_t size = size_in_bytes(type);
  std::vector<std::byte> gathered(structs.size() / layout.bytes * size);
  for (std::size_t i = 0; i * layout.bytes < structs.size(); ++i)
    std::memcpy(gathered.data() + i * size, structs.data() + i * layout.bytes + layout.offsets[field], size);
  Part part{name + "." + vector.fields[field].name, type, {}, std::move(gathered)};
  part.elements = part.gathered;
  return part;
}

// Returns the elements without their padding, because kernels may write anything into the padding.
Part without_padding(const std::string& name, const VectorArgument& vector, std::span<const std::byte> elements) {
  const std::size_t from = element_bytes(vector);
  const std::size_t to = size_in_bytes(vector.type) * vector.vector_width;
  Part part{name, vector.type, {}, std::vector<std::byte>(elements.size() / from * to)};
  for (std::size_t i = 0; i * from < elements.size(); ++i)
    std::memcpy(part.gathered.data() + i * to, elements.data() + i * from, to);
  part.elements = part.gathered;
  return part;
}

std::vector<Part> parts_of(const Argument& argument, std::span<const std::byte> contents) {
  const auto& vector = std::get<VectorArgument>(argument.kind);
  std::vector<Part> parts;
  if (vector.padding > 0)
    parts.push_back(without_padding(argument.name, vector, contents));
  else if (vector.fields.empty())
    parts.push_back({argument.name, vector.type, contents});
  for (std::size_t f = 0; f < vector.fields.size(); ++f) parts.push_back(field_of(argument.name, vector, f, contents));
  return parts;
}

std::string different(const Part& actual, const Part& expected, OutputComparison comparison,
                      const measure::ResolvedTolerance& tolerance) {
  if (comparison == OutputComparison::sum) {
    const double sums[] = {measure::sum(actual.elements, actual.type), measure::sum(expected.elements, actual.type)};
    const auto bytes = std::as_bytes(std::span(sums));
    const bool good =
        !measure::compare(bytes.first<sizeof(double)>(), bytes.last<sizeof(double)>(), ElementType::float64, tolerance);
    return good ? std::string() : fmt::format("`{}`: the sum should be {}, it is {}", actual.name, sums[1], sums[0]);
  }
  const auto mismatch = measure::compare(actual.elements, expected.elements, actual.type, tolerance);
  return mismatch ? mismatch->to_string(actual.name) : std::string();
}

// Returns the largest magnitude of the elements. For sums, the sum is considered as well.
double scale_of(const Part& part, OutputComparison comparison) {
  const double largest = measure::largest_magnitude(part.elements, part.type);
  const double sum = comparison == OutputComparison::sum ? measure::sum(part.elements, part.type) : 0.0;
  return std::isfinite(sum) ? std::max(largest, std::fabs(sum)) : largest;
}

// Returns the elements that are compared. They are the first `length` elements of the output, or all of them without a
// length.
std::span<const std::byte> counted_part(const VectorArgument& vector, std::optional<std::size_t> length,
                                        std::span<const std::byte> contents) {
  return length ? contents.first(*length * element_bytes(vector)) : contents;
}

}  // namespace

PartRules rules_of(const VectorArgument& output, const Tolerance& tolerance) {
  if (output.fields.empty()) return {{.tolerance = measure::resolve_tolerance(tolerance, output.type)}};
  PartRules rules;
  for (const BufferField& field : output.fields)
    rules.push_back({.tolerance = measure::resolve_tolerance(tolerance, field.type)});
  return rules;
}

PartRules rules_to_scale(const Argument& output, const Tolerance& tolerance, std::optional<std::size_t> length,
                         std::span<const std::byte> expected) {
  const auto& vector = std::get<VectorArgument>(output.kind);
  PartRules rules;
  for (const Part& part : parts_of(output, counted_part(vector, length, expected)))
    rules.push_back(
        {.tolerance = measure::tolerance_to_scale(tolerance, part.type, scale_of(part, vector.comparison))});
  return rules;
}

std::string difference(const Argument& argument, const PartRules& rules, std::optional<std::size_t> length,
                       std::span<const std::byte> actual, std::span<const std::byte> expected) {
  PartRules left = rules;
  const std::vector<std::string> all = leave_out_different(argument, length, actual, expected, left);
  return all.empty() ? std::string() : all.front();
}

std::vector<std::string> leave_out_different(const Argument& argument, std::optional<std::size_t> length,
                                             std::span<const std::byte> actual, std::span<const std::byte> expected,
                                             PartRules& rules) {
  const auto& vector = std::get<VectorArgument>(argument.kind);
  if (length && std::min(actual.size(), expected.size()) < *length * element_bytes(vector))
    return {fmt::format("`{}`: has fewer than the {} elements to compare", argument.name, *length)};
  const std::vector<Part> seen = parts_of(argument, counted_part(vector, length, actual));
  const std::vector<Part> wanted = parts_of(argument, counted_part(vector, length, expected));
  std::vector<std::string> all;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (!rules[i].is_compared) continue;
    std::string wrong = different(seen[i], wanted[i], vector.comparison, rules[i].tolerance);
    if (wrong.empty()) continue;
    rules[i].is_compared = false;
    all.push_back(std::move(wrong));
  }
  return all;
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
