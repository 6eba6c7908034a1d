// The source of the right answer, and the distance from it that an output may have. Values that own their parts.
//
//   Reference reference = ReferenceFunction{.file = "scale.cc"};
//   Tolerance tolerance{.absolute = 1e-6};
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "wattune/core/kernel_source.h"
#include "wattune/core/launch_step.h"

namespace wattune {

// Another kernel, which computes the right answer.
struct ReferenceKernel {
  KernelSource source;
  Geometry geometry;
  std::vector<std::size_t> arguments;  // positions in KernelSpec::arguments; those of the first launch if empty
};
// A C++ file with `extern "C" void FUNCTION(void* const* arguments, const std::size_t* lengths)`. arguments[i] is the
// data of vector i or the address of scalar or struct i, and lengths[i] the number of its elements. Outputs are written
// in place.
struct ReferenceFunction {
  std::filesystem::path file;
  std::string function = "reference";
};
// The expected contents of outputs, by argument name.
struct ReferenceData {
  std::vector<std::pair<std::string, std::filesystem::path>> outputs;
};
using Reference = std::variant<std::monostate, ReferenceKernel, ReferenceFunction, ReferenceData>;

// The bound |actual - expected| <= absolute + relative * |expected| of each element. A bound that is not set is chosen
// by element type.
struct Tolerance {
  std::optional<double> absolute;
  std::optional<double> relative;
};

}  // namespace wattune
