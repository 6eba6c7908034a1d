// Compares outputs. One branch-free loop per element type finds out whether a block agrees; only blocks that do not
// agree are examined in detail. Large outputs are split among threads. Blocks are copied into typed arrays that stay in
// the first-level cache. So the loop vectorises whatever the alignment of the bytes, and the code has defined
// behaviour. docs/measure.md tells the cost.
#include "measure/interface/output_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <thread>
#include <type_traits>
#include <vector>

#include "measure/interface/half.h"

namespace wattune::inline v0_1::measure {

namespace {

constexpr std::size_t kBlock = 1024;

// The least number of bytes for which another thread is worthwhile, and the number of threads that use the whole memory
// bandwidth.
constexpr std::size_t kBytesPerThread = std::size_t{4} << 20;
constexpr std::size_t kMostThreads = 8;

// The way in which elements of type T are compared and read: by the type itself.
template <typename T>
struct Plain {
  using Compared = T;
  static constexpr std::size_t kBytes = sizeof(T);
  static void load(const std::byte* from, std::size_t n, T* to) { std::memcpy(to, from, n * sizeof(T)); }
};
// The way in which elements of 16 bits are compared and read: decoded to floats.
template <float (*decode)(std::uint16_t)>
struct Decoded {
  using Compared = float;
  static constexpr std::size_t kBytes = 2;
  static void load(const std::byte* from, std::size_t n, float* to) {
    std::array<std::uint16_t, kBlock> bits;
    std::memcpy(bits.data(), from, n * kBytes);
    std::transform(bits.begin(), bits.begin() + static_cast<std::ptrdiff_t>(n), to, decode);
  }
};

// True if two numbers agree. NaN agrees with NaN, and an infinity with itself. Bitwise operators keep the loop free of
// branches.
template <std::floating_point T>
bool agrees(T actual, T expected, const ResolvedTolerance& tolerance) {
  const double difference = std::fabs(static_cast<double>(actual) - static_cast<double>(expected));
  const double allowed = tolerance.absolute + tolerance.relative * std::fabs(static_cast<double>(expected));
  const bool near = (difference <= allowed) & (difference <= std::numeric_limits<double>::max());
  return near | (actual == expected) | ((actual != actual) & (expected != expected));
}

template <std::integral T>
std::uint64_t distance(T a, T b) {
  const auto wide_a = static_cast<std::uint64_t>(a);
  const auto wide_b = static_cast<std::uint64_t>(b);
  return a > b ? wide_a - wide_b : wide_b - wide_a;
}

template <std::integral T>
bool agrees(T actual, T expected, const ResolvedTolerance& tolerance) {
  if (actual == expected) return true;
  const double allowed = tolerance.absolute + tolerance.relative * std::fabs(static_cast<double>(expected));
  // A whole number is at most `allowed` exactly if it is at most the floor of `allowed`. The comparison with the floor
  // needs no rounding.
  return allowed >= 0x1p64 || distance(actual, expected) <= static_cast<std::uint64_t>(allowed);
}

template <typename T>
double error_of(T actual, T expected) {
  if constexpr (std::integral<T>) {
    return static_cast<double>(distance(actual, expected));
  } else {
    const double difference = std::fabs(static_cast<double>(actual) - static_cast<double>(expected));
    return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
  }
}

template <typename T>
std::size_t count_wrong(const T* actual, const T* expected, std::size_t n, const ResolvedTolerance& tolerance) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) wrong += agrees(actual[i], expected[i], tolerance) ? 0 : 1;
  return wrong;
}

// Adds the wrong elements of one block, which starts at element `offset`, to `mismatch`.
template <typename T>
void add_details(const T* actual, const T* expected, std::size_t n, std::size_t offset,
                 const ResolvedTolerance& tolerance, Mismatch& mismatch) {
  for (std::size_t i = 0; i < n; ++i) {
    if (agrees(actual[i], expected[i], tolerance)) continue;
    if (mismatch.wrong_elements++ == 0) {
      mismatch.first_index = offset + i;
      mismatch.expected = fmt::format("{}", +expected[i]);  // + prints characters as numbers
      mismatch.actual = fmt::format("{}", +actual[i]);
    }
    mismatch.largest_error = std::max(mismatch.largest_error, error_of(actual[i], expected[i]));
  }
}

// Compares the elements from position `begin` up to position `end`.
template <typename Element>
Mismatch compare_range(std::span<const std::byte> actual, std::span<const std::byte> expected,
                       const ResolvedTolerance& tolerance, std::size_t begin, std::size_t end) {
  std::array<typename Element::Compared, kBlock> a;
  std::array<typename Element::Compared, kBlock> e;
  Mismatch mismatch;
  for (std::size_t offset = begin; offset < end; offset += kBlock) {
    const std::size_t n = std::min(kBlock, end - offset);
    Element::load(actual.data() + offset * Element::kBytes, n, a.data());
    Element::load(expected.data() + offset * Element::kBytes, n, e.data());
    if (count_wrong(a.data(), e.data(), n, tolerance) > 0)
      add_details(a.data(), e.data(), n, offset, tolerance, mismatch);
  }
  return mismatch;
}

// Combines the results of two parts of an output; `front` precedes `behind`.
Mismatch merged(Mismatch front, Mismatch behind) {
  if (front.wrong_elements == 0) return behind;
  front.wrong_elements += behind.wrong_elements;
  front.largest_error = std::max(front.largest_error, behind.largest_error);
  return front;
}

std::size_t threads_for(std::size_t bytes) {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  return std::clamp<std::size_t>(bytes / kBytesPerThread, 1, std::min(cores, kMostThreads));
}

template <typename Element>
std::optional<Mismatch> compare_as(std::span<const std::byte> actual, std::span<const std::byte> expected,
                                   const ResolvedTolerance& tolerance) {
  const std::size_t total = actual.size() / Element::kBytes;
  std::vector<Mismatch> found(threads_for(actual.size()));
  const auto compare_part = [&](std::size_t part) {
    found[part] = compare_range<Element>(actual, expected, tolerance, total * part / found.size(),
                                         total * (part + 1) / found.size());
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t part = 1; part < found.size(); ++part) others.emplace_back(compare_part, part);
    compare_part(0);
  }
  Mismatch mismatch = std::accumulate(found.begin(), found.end(), Mismatch(), merged);
  mismatch.total_elements = total;
  return mismatch.wrong_elements > 0 ? std::optional(std::move(mismatch)) : std::nullopt;
}

// Calls `take` with each element, in double precision.
template <typename Element, typename Take>
void for_each_element(std::span<const std::byte> elements, Take take) {
  std::array<typename Element::Compared, kBlock> block;
  const std::size_t total = elements.size() / Element::kBytes;
  for (std::size_t offset = 0; offset < total; offset += kBlock) {
    const std::size_t n = std::min(kBlock, total - offset);
    Element::load(elements.data() + offset * Element::kBytes, n, block.data());
    for (std::size_t i = 0; i < n; ++i) take(static_cast<double>(block[i]));
  }
}

// Calls `function` with a tag whose type tells how elements of `type` are read.
template <typename Function>
auto with_element(ElementType type, Function function) {
  switch (type) {
    case ElementType::int8: return function(Plain<std::int8_t>());
    case ElementType::uint8: return function(Plain<std::uint8_t>());
    case ElementType::int16: return function(Plain<std::int16_t>());
    case ElementType::uint16: return function(Plain<std::uint16_t>());
    case ElementType::int32: return function(Plain<std::int32_t>());
    case ElementType::uint32: return function(Plain<std::uint32_t>());
    case ElementType::int64: return function(Plain<std::int64_t>());
    case ElementType::uint64: return function(Plain<std::uint64_t>());
    case ElementType::float16: return function(Decoded<half_to_float>());
    case ElementType::bfloat16: return function(Decoded<bfloat_to_float>());
    case ElementType::float32: return function(Plain<float>());
    case ElementType::float64: break;
  }
  return function(Plain<double>());
}

ResolvedTolerance default_tolerance(ElementType type) {
  switch (type) {
    case ElementType::float16: return {1e-3, 1e-2};
    case ElementType::bfloat16: return {1e-2, 4e-2};
    case ElementType::float32: return {1e-5, 1e-4};
    case ElementType::float64: return {1e-12, 1e-9};
    default: return {0.0, 0.0};
  }
}

// Returns the usual tolerance for elements of this type, as a share of the largest magnitude.
double share_of_scale(ElementType type) {
  switch (type) {
    case ElementType::float16: return 1e-2;
    case ElementType::bfloat16: return 4e-2;
    case ElementType::float32: return 1e-4;
    case ElementType::float64: return 1e-10;
    default: return 0.0;
  }
}

}  // namespace

ResolvedTolerance resolve_tolerance(const Tolerance& tolerance, ElementType type) {
  const ResolvedTolerance fallback = default_tolerance(type);
  return {tolerance.absolute.value_or(fallback.absolute), tolerance.relative.value_or(fallback.relative)};
}

ResolvedTolerance tolerance_to_scale(const Tolerance& tolerance, ElementType type, double largest_magnitude) {
  if (tolerance.absolute || tolerance.relative) return resolve_tolerance(tolerance, type);
  return {share_of_scale(type) * largest_magnitude, 0.0};
}

std::string Mismatch::to_string(const std::string& argument_name) const {
  return fmt::format("`{}`: {} of {} elements {} wrong, first at [{}]: expected {}, got {} (largest error {:.3g})",
                     argument_name, wrong_elements, total_elements, wrong_elements == 1 ? "is" : "are", first_index,
                     expected, actual, largest_error);
}

std::optional<Mismatch> compare(std::span<const std::byte> actual, std::span<const std::byte> expected,
                                ElementType type, const ResolvedTolerance& tolerance) {
  assert(actual.size() == expected.size() && actual.size() % size_in_bytes(type) == 0);
  return with_element(type,
                      [&]<typename Element>(Element) { return compare_as<Element>(actual, expected, tolerance); });
}

double sum(std::span<const std::byte> elements, ElementType type) {
  double sum = 0.0;
  with_element(type, [&]<typename Element>(Element) {
    for_each_element<Element>(elements, [&sum](double each) { sum += each; });
  });
  return sum;
}

double largest_magnitude(std::span<const std::byte> elements, ElementType type) {
  double largest = 0.0;
  with_element(type, [&]<typename Element>(Element) {
    for_each_element<Element>(elements, [&largest](double each) {
      if (std::isfinite(each)) largest = std::max(largest, std::fabs(each));
    });
  });
  return largest;
}

}  // namespace wattune::measure
