// Output check: compares a kernel's outputs with the reference, element by element.
//
// All functions are pure. Integers are compared exactly, also beyond 2^53, where a double cannot hold every integer.
// float16 and bfloat16 are decoded first.
//
//   if (auto mismatch = compare(actual, expected, ElementType::float32, resolve_tolerance({}, ElementType::float32)))
//     message = mismatch->to_string("c");
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "wattune/core/kernel_spec.h"

namespace wattune::inline v0_1::measure {

// Byte with which outputs are filled before a kernel runs: NaN as a float, -1 as an integer, so that unwritten elements
// show.
inline constexpr std::byte kPoison{0xFF};
// A second poison byte, for filling outputs before a second run. With it, unwritten elements differ from elements into
// which a kernel wrote the value of kPoison.
inline constexpr std::byte kOtherPoison{0xA5};

// A tolerance with both bounds: |actual - expected| <= absolute + relative * |expected|.
struct ResolvedTolerance {
  double absolute = 0.0;
  double relative = 0.0;
};

// Returns the user's tolerance. Missing bounds depend on the element type. The defaults, absolute and relative, are:
// integers 0 and 0, bfloat16 1e-2 and 4e-2, float16 1e-3 and 1e-2, float32 1e-5 and 1e-4, float64 1e-12 and 1e-9.
ResolvedTolerance resolve_tolerance(const Tolerance& tolerance, ElementType type);

// Returns the tolerance for comparing outputs with those of another kernel, which are not more exact themselves. It is
// the user's tolerance if there is one. Otherwise it is an absolute tolerance, which is a share of the largest
// magnitude: 4e-2 for bfloat16, 1e-2 for float16, 1e-4 for float32, 1e-10 for float64, and 0 for integers.
ResolvedTolerance tolerance_to_scale(const Tolerance& tolerance, ElementType type, double largest_magnitude);

// The difference between two outputs: the first wrong element, the number of wrong elements, and the largest deviation.
struct Mismatch {
  std::size_t first_index = 0;
  std::string expected;  // expected value of the first wrong element; a text, because a double cannot hold every int64
  std::string actual;
  std::size_t wrong_elements = 0;
  std::size_t total_elements = 0;
  double largest_error = 0.0;  // largest |actual - expected|; infinity if only one of the two is NaN

  // Returns a text such as "`c`: 3 of 1024 elements are wrong, first at [7]: expected 1.5, got nan (largest error
  // inf)".
  std::string to_string(const std::string& argument_name) const;
};

// Compares two outputs; returns nullopt if all elements agree. NaN agrees only with NaN, an infinity only with itself.
// Precondition: both spans have the same length and hold whole elements.
std::optional<Mismatch> compare(std::span<const std::byte> actual, std::span<const std::byte> expected,
                                ElementType type, const ResolvedTolerance& tolerance);

// Returns the sum of all elements, in double precision.
double sum(std::span<const std::byte> elements, ElementType type);

// Returns the largest magnitude of the finite elements; 0 if there are none.
double largest_magnitude(std::span<const std::byte> elements, ElementType type);

}  // namespace wattune::measure
