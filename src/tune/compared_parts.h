// Comparing an output with what its reference left there: element by element, by its sum, or field by field where it
// holds structs, whose padding does not count.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "tune/formula.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::tune {

// In words what differs, the first thing first; empty when nothing does. `length`: how many elements from the beginning
// count; none: all. `argument` is a VectorArgument.
std::string difference(const Argument& argument, const Tolerance& tolerance, std::optional<std::size_t> length,
                       std::span<const std::byte> actual, std::span<const std::byte> expected);

// Whether what one configuration left in an output is what another has to leave there. `fixed_length`: no tuning
// parameter changes its length.
bool is_comparable(const VectorArgument& output, bool fixed_length);

// How many elements of an output count, where the spec says so. Errors of the expression.
Result<std::optional<std::size_t>> compared_length(const VectorArgument& output,
                                                   const std::shared_ptr<const Names>& names);

}  // namespace wattune::tune
