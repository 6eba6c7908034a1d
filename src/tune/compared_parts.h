// Comparing an output with what its reference left there: element by element, by its sum, or field by field where it
// holds structs, whose padding does not count.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "wattune/core/kernel_spec.h"

namespace wattune::tune {

// In words what differs, the first thing first; empty when nothing does. `length`: how many elements from the beginning
// count; none: all. `argument` is a VectorArgument.
std::string difference(const Argument& argument, const Tolerance& tolerance, std::optional<std::size_t> length,
                       std::span<const std::byte> actual, std::span<const std::byte> expected);

}  // namespace wattune::tune
