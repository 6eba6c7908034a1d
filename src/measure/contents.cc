// Generates the contents of arguments. The contents must not depend on the machine. So numbers come from core's Random
// instead of a standard distribution, and arithmetic is plain IEEE double (compiled without fused multiply-add).
#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>

#include "measure/interface/arguments.h"
#include "measure/interface/half.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::measure {

namespace {

static_assert(std::endian::native == std::endian::little, "contents are little-endian");

struct HalfBits {
  std::uint16_t bits;
};
struct BFloatBits {
  std::uint16_t bits;
};

constexpr int kLargestHalf = 65504;
constexpr double kLargestBFloat = 0x1.fep127;

// Calls `function` with a value of the C++ type that stands for `type`. Only the type of this value matters.
template <typename Function>
auto with_type(ElementType type, Function function) {
  switch (type) {
    case ElementType::int8: return function(std::int8_t{});
    case ElementType::uint8: return function(std::uint8_t{});
    case ElementType::int16: return function(std::int16_t{});
    case ElementType::uint16: return function(std::uint16_t{});
    case ElementType::int32: return function(std::int32_t{});
    case ElementType::uint32: return function(std::uint32_t{});
    case ElementType::int64: return function(std::int64_t{});
    case ElementType::uint64: return function(std::uint64_t{});
    case ElementType::float16: return function(HalfBits{});
    case ElementType::bfloat16: return function(BFloatBits{});
    case ElementType::float32: return function(float{});
    case ElementType::float64: break;
  }
  return function(double{});
}

// Describes the numbers of a type: "int8 holds -128 to 127".
std::string range_of(ElementType type) {
  return with_type(type, [&]<typename T>(T) {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::integral<T>)
      return fmt::format("{} holds {} to {}", to_string(type), +Limits::min(), +Limits::max());
    else if constexpr (std::same_as<T, HalfBits>)
      return fmt::format("{} holds numbers up to {}", to_string(type), kLargestHalf);
    else if constexpr (std::same_as<T, BFloatBits>)
      return fmt::format("{} holds numbers up to {:.6g}", to_string(type), kLargestBFloat);
    else
      return fmt::format("{} holds numbers up to {:.6g}", to_string(type), Limits::max());
  });
}

Error does_not_fit(const std::string& value, ElementType type) {
  return Error(ErrorCode::out_of_range, fmt::format("{} does not fit {}", value, to_string(type))).hint(range_of(type));
}

// True if the finite number became infinite when it was converted to the type.
bool overflows(double value, double converted) { return std::isfinite(value) && !std::isfinite(converted); }

template <typename T>
Result<T> convert(double value, ElementType type) {
  if constexpr (std::integral<T>) {
    // The bound just above the largest integer, 2^digits, is exact as a double. The largest integer itself may not be.
    const double beyond = std::ldexp(1.0, std::numeric_limits<T>::digits);
    const double lowest = std::is_signed_v<T> ? -beyond : 0.0;
    if (!(value >= lowest && value < beyond)) return does_not_fit(format_real(value), type);
    if (value != std::trunc(value))
      return Error(ErrorCode::out_of_range,
                   fmt::format("{} is not an integer, but the type is {}", format_real(value), to_string(type)))
          .hint("`//` divides integers");
    return static_cast<T>(value);
  } else if constexpr (std::same_as<T, HalfBits>) {
    const HalfBits half{half_from_double(value)};
    if (overflows(value, half_to_float(half.bits))) return does_not_fit(format_real(value), type);
    return half;
  } else if constexpr (std::same_as<T, BFloatBits>) {
    const BFloatBits bfloat{bfloat_from_double(value)};
    if (overflows(value, bfloat_to_float(bfloat.bits))) return does_not_fit(format_real(value), type);
    return bfloat;
  } else {
    const auto converted = static_cast<T>(value);
    if (overflows(value, converted)) return does_not_fit(format_real(value), type);
    return converted;
  }
}

template <typename T>
void store(T value, std::size_t index, std::vector<std::byte>& bytes) {
  std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
}

// Fills all elements with value_of(index), which is a double or a Result of one.
template <typename ValueOf>
Result<std::vector<std::byte>> generate(ElementType type, std::size_t elements, ValueOf value_of) {
  return with_type(type, [&](auto tag) -> Result<std::vector<std::byte>> {
    using T = decltype(tag);
    std::vector<std::byte> bytes(elements * sizeof(T));
    for (std::size_t i = 0; i < elements; ++i) {
      WATTUNE_ASSIGN(const double value, Result<double>(value_of(i)));
      Result<T> converted = convert<T>(value, type);
      if (!converted) return std::move(converted).error().with_context(fmt::format("element {}", i));
      store(*converted, i, bytes);
    }
    return bytes;
  });
}

// Fills all elements with the same number.
Result<std::vector<std::byte>> repeated(const Value& value, ElementType type, std::size_t elements) {
  const Result<std::vector<std::byte>> one = to_bytes(value, type);
  if (!one) return Error(one.error()).with_context("element 0");
  return with_type(type, [&](auto element) -> Result<std::vector<std::byte>> {
    std::memcpy(&element, one->data(), sizeof element);
    std::vector<std::byte> bytes(elements * sizeof element);
    for (std::size_t i = 0; i < elements; ++i) store(element, i, bytes);
    return bytes;
  });
}

bool is_integral(ElementType type) {
  return type != ElementType::float16 && type != ElementType::bfloat16 && type != ElementType::float32 &&
         type != ElementType::float64;
}

Result<std::vector<std::byte>> uniform(const FillUniform& fill, ElementType type, std::size_t elements,
                                       std::uint64_t default_seed) {
  Random random(fill.seed.value_or(default_seed));
  const double width = fill.high - fill.low;
  const bool whole = is_integral(type);
  return generate(type, elements, [&](std::size_t) {
    const double value = fill.low + random.uniform() * width;
    return whole ? std::floor(value) : value;
  });
}

// Draws each number as a sum of twelve uniform ones, which has variance 1. Inverting the distribution would need
// functions that differ between machines.
Result<std::vector<std::byte>> normal(const FillNormal& fill, ElementType type, std::size_t elements,
                                      std::uint64_t default_seed) {
  Random random(fill.seed.value_or(default_seed));
  const bool whole = is_integral(type);
  return generate(type, elements, [&](std::size_t) {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) sum += random.uniform();
    const double value = fill.mean + sum * fill.deviation;
    return whole ? std::floor(value) : value;
  });
}

// Makes the contents of an argument without the padding of its elements.
Result<std::vector<std::byte>> make_dense(const VectorArgument& argument, std::size_t elements,
                                          std::uint64_t default_seed, ElementFunction evaluate, void* context) {
  if (const auto* fill = std::get_if<FillConstant>(&argument.fill))
    return repeated(fill->value, argument.type, elements);
  if (const auto* fill = std::get_if<FillUniform>(&argument.fill))
    return uniform(*fill, argument.type, elements, default_seed);
  if (const auto* fill = std::get_if<FillNormal>(&argument.fill))
    return normal(*fill, argument.type, elements, default_seed);
  if (const auto* fill = std::get_if<FillIota>(&argument.fill))
    return generate(argument.type, elements,
                    [&](std::size_t i) { return fill->start + static_cast<double>(i) * fill->step; });
  if (evaluate == nullptr) return Error(ErrorCode::invalid_argument, "nothing evaluates the fill expression");
  return generate(argument.type, elements, [&](std::size_t i) { return evaluate(context, i); });
}

// Returns the number that a text of digits gives, if it is too large for the integers of expressions. Specs hold such
// numbers as texts.
std::optional<std::uint64_t> large_integer(const Value& value) {
  if (value.is_number()) return std::nullopt;
  const std::string& text = value.as_string();
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_large = failure == std::errc() && end == text.data() + text.size() && number > std::uint64_t{INT64_MAX};
  return is_large ? std::optional(number) : std::nullopt;
}

}  // namespace

Result<std::vector<std::byte>> make_contents(const VectorArgument& argument, std::size_t length,
                                             std::uint64_t default_seed, ElementFunction evaluate, void* context) {
  if (const auto* fill = std::get_if<FillFile>(&argument.fill)) return read_data_file(fill->path, argument, length);
  WATTUNE_ASSIGN(auto dense, make_dense(argument, length * argument.vector_width, default_seed, evaluate, context));
  return with_padding(std::move(dense), argument);
}

std::vector<std::byte> with_padding(std::vector<std::byte> dense, const VectorArgument& argument) {
  if (argument.padding == 0) return dense;
  const std::size_t from = size_in_bytes(argument.type) * argument.vector_width;
  const std::size_t to = element_bytes(argument);
  std::vector<std::byte> padded(dense.size() / from * to);
  for (std::size_t i = 0; i * from < dense.size(); ++i)
    std::memcpy(padded.data() + i * to, dense.data() + i * from, from);
  return padded;
}

Result<std::vector<std::byte>> read_data_file(const std::filesystem::path& path, const VectorArgument& argument,
                                              std::size_t length) {
  auto dense = read_data_file(path, argument.type, length * argument.vector_width);
  if (dense) return with_padding(*std::move(dense), argument);
  if (argument.padding == 0 || dense.error().code() != ErrorCode::mismatch) return dense;
  auto padded = read_data_file(path, argument.type, length * (argument.vector_width + argument.padding));
  return padded ? std::move(padded) : std::move(dense);
}

Result<std::vector<std::byte>> to_bytes(double value, ElementType type) {
  return with_type(type, [&](auto tag) -> Result<std::vector<std::byte>> {
    WATTUNE_ASSIGN(const auto converted, convert<decltype(tag)>(value, type));
    std::vector<std::byte> bytes(sizeof(tag));
    store(converted, 0, bytes);
    return bytes;
  });
}

Result<std::vector<std::byte>> to_bytes(const Value& value, ElementType type) {
  if (const std::optional<std::uint64_t> large = large_integer(value)) {
    if (!is_integral(type)) return to_bytes(static_cast<double>(*large), type);
    if (type != ElementType::uint64) return does_not_fit(value.to_string(), type);
    std::vector<std::byte> bytes(sizeof *large);
    store(*large, 0, bytes);
    return bytes;
  }
  if (!value.is_number())
    return Error(ErrorCode::invalid_argument, fmt::format("a string where {} is needed", to_string(type)))
        .about(value.to_string());
  if (!value.is_integral() || !is_integral(type)) return to_bytes(value.as_real(), type);
  return with_type(type, [&](auto tag) -> Result<std::vector<std::byte>> {
    using T = decltype(tag);
    std::vector<std::byte> bytes(sizeof(T));
    if constexpr (std::integral<T>) {
      if (!std::in_range<T>(value.as_integer())) return does_not_fit(value.to_string(), type);
      store(static_cast<T>(value.as_integer()), 0, bytes);
    }
    return bytes;
  });
}

}  // namespace wattune::measure
