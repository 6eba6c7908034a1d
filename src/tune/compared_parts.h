// Comparing an output with what its reference left there: element by element, by its sum, or field by field where it
// holds structs, whose padding does not count.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tune/formula.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/measure/output_check.h"

namespace wattune::tune {

// How a part of an output is compared: all of it, or one of the fields of its structs.
struct PartRule {
  bool is_compared = true;
  measure::ResolvedTolerance tolerance;
};
// The rules of an output, in the order of its fields.
using PartRules = std::vector<PartRule>;

// Returns the tolerances of the spec, or of the element types.
PartRules rules_of(const VectorArgument& output, const Tolerance& tolerance);
// The same with measure::tolerance_to_scale(), by what is expected of the first `length` elements; none: of all.
PartRules rules_to_scale(const Argument& output, const Tolerance& tolerance, std::optional<std::size_t> length,
                         std::span<const std::byte> expected);

// In words what differs, the first thing first; empty when nothing does. `length`: how many elements from the beginning
// count; none: all. `argument` is a VectorArgument.
std::string difference(const Argument& argument, const PartRules& rules, std::optional<std::size_t> length,
                       std::span<const std::byte> actual, std::span<const std::byte> expected);

// From here on does not compare the parts that differ, and returns what differs, in words.
std::vector<std::string> leave_out_different(const Argument& argument, std::optional<std::size_t> length,
                                             std::span<const std::byte> actual, std::span<const std::byte> expected,
                                             PartRules& rules);

// Whether what one configuration left in an output is what another has to leave there. `fixed_length`: no tuning
// parameter changes its length.
bool is_comparable(const VectorArgument& output, bool fixed_length);

// How many elements of an output count, where the spec says so. Errors of the expression.
Result<std::optional<std::size_t>> compared_length(const VectorArgument& output,
                                                   const std::shared_ptr<const Names>& names);

}  // namespace wattune::tune
