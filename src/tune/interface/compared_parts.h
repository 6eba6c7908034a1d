// Compares an output with the reference: element by element, by its sum, or field by field if it holds structs, whose
// padding does not count.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/interface/output_check.h"
#include "tune/evaluate/formula.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::inline v0_1::tune {

// The rule for comparing a part of an output. A part is the whole output, or one field of its structs.
struct PartRule {
  bool is_compared = true;
  measure::ResolvedTolerance tolerance;
};
// The rules of an output, in the order of its fields.
using PartRules = std::vector<PartRule>;

// Returns the rules with the tolerances of the spec, or with those of the element types if the spec has none.
PartRules rules_of(const VectorArgument& output, const Tolerance& tolerance);
// Returns the rules with tolerances from measure::tolerance_to_scale(). The scale is that of the expected values of the
// first `length` elements, or of all.
PartRules rules_to_scale(const Argument& output, const Tolerance& tolerance, std::optional<std::size_t> length,
                         std::span<const std::byte> expected);

// Describes the first difference in words; empty if there is none. Compares the first `length` elements, or all if
// `length` is empty. `argument` is a VectorArgument.
std::string difference(const Argument& argument, const PartRules& rules, std::optional<std::size_t> length,
                       std::span<const std::byte> actual, std::span<const std::byte> expected);

// Excludes parts in which `actual` and `expected` differ from the comparison, and returns the differences in words.
std::vector<std::string> leave_out_different(const Argument& argument, std::optional<std::size_t> length,
                                             std::span<const std::byte> actual, std::span<const std::byte> expected,
                                             PartRules& rules);

// True if all configurations must leave the same contents in an output. `fixed_length` says that no tuning parameter
// changes its length.
bool is_comparable(const VectorArgument& output, bool fixed_length);

// Returns how many elements of an output are compared, if the spec says so; otherwise nullopt. Fails with errors of the
// expression.
Result<std::optional<std::size_t>> compared_length(const VectorArgument& output,
                                                   const std::shared_ptr<const Names>& names);

}  // namespace wattune::tune
