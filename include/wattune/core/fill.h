// The rule by which the elements of a vector argument get their first values. A value that owns its parts.
//
//   VectorArgument x;
//   x.fill = FillUniform{.low = -1.0, .high = 1.0};
#pragma once

#include <cstdint>
#include <filesystem>
#include <variant>

#include "wattune/core/expression_text.h"

namespace wattune {

struct FillConstant {
  double value = 0.0;
};
// Uniform random numbers in [low, high). The same seed gives the same data on every machine.
struct FillUniform {
  double low = 0.0;
  double high = 1.0;
  std::uint64_t seed = 0;  // derived from the argument's position if 0

  bool operator==(const FillUniform&) const = default;
};
// Normal random numbers, made as the sum of twelve uniform ones, so that the bits are the same on every machine.
struct FillNormal {
  double mean = 0.0;
  double deviation = 1.0;
  std::uint64_t seed = 0;  // derived from the argument's position if 0

  bool operator==(const FillNormal&) const = default;
};
// Element i is start + i * step.
struct FillIota {
  double start = 0.0;
  double step = 1.0;
};
// Element i is the value of an expression in `i`.
struct FillExpression {
  ExpressionText expression;
};
// The bytes of a file: raw little-endian elements, or NumPy's .npy.
struct FillFile {
  std::filesystem::path path;
};
using Fill = std::variant<FillConstant, FillUniform, FillNormal, FillIota, FillExpression, FillFile>;

}  // namespace wattune
