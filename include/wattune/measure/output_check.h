// Output check: does a kernel's output agree with the reference, over every element?
//
// Pure functions. Integers are compared exactly, also beyond 2^53 where doubles skip some; float16 and bfloat16 are
// decoded first.
//
//   if (auto mismatch = compare(actual, expected, ElementType::float32, resolve_tolerance({}, ElementType::float32)))
//     message = mismatch->to_string("c");
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "wattune/core/kernel_spec.h"

namespace wattune::measure {

// What outputs are filled with before a kernel runs: NaN, -1, so that an element that was not written shows.
inline constexpr std::byte kPoison{0xFF};
// The same for a second run, which tells what was not written from what was written as kPoison.
inline constexpr std::byte kOtherPoison{0xA5};

// |actual - expected| <= absolute + relative * |expected|.
struct ResolvedTolerance {
  double absolute = 0.0;
  double relative = 0.0;
};

// The user's tolerance, completed by the element type: integers 0 and 0, bfloat16 1e-2 and 4e-2, float16 1e-3 and 1e-2,
// float32 1e-5 and 1e-4, float64 1e-12 and 1e-9.
ResolvedTolerance resolve_tolerance(const Tolerance& tolerance, ElementType type);

// For what is expected of a kernel that is no more exact than the one it is compared with: the user's tolerance, or
// else a share of the largest magnitude: bfloat16 4e-2, float16 1e-2, float32 1e-4, float64 1e-10, integers 0.
ResolvedTolerance tolerance_to_scale(const Tolerance& tolerance, ElementType type, double largest_magnitude);

// What differs: the first wrong element, how many there are, and the largest deviation.
struct Mismatch {
  std::size_t first_index = 0;
  std::string expected;  // of the first wrong element; as text, because a double cannot hold every int64
  std::string actual;
  std::size_t wrong_elements = 0;
  std::size_t total_elements = 0;
  double largest_error = 0.0;  // |actual - expected|; infinity where only one of them is NaN

  // "`c`: 3 of 1024 elements are wrong, first at [7]: expected 1.5, got nan (largest error inf)"
  std::string to_string(const std::string& argument_name) const;
};

// Nothing when all agree. NaN agrees with NaN only, infinities with themselves only. Precondition: the spans are
// equally long and hold whole elements.
std::optional<Mismatch> compare(std::span<const std::byte> actual, std::span<const std::byte> expected,
                                ElementType type, const ResolvedTolerance& tolerance);

// Of all elements, in double precision.
double sum(std::span<const std::byte> elements, ElementType type);

// Returns that of the finite elements; 0 if there are none.
double largest_magnitude(std::span<const std::byte> elements, ElementType type);

}  // namespace wattune::measure
