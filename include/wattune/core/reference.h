// Reference: what knows the right answer, and how far from it an output may be. Values; owned.
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

// Another kernel that computes the right answer.
struct ReferenceKernel {
  KernelSource source;
  Geometry geometry;
  std::vector<std::size_t> arguments;  // positions in KernelSpec::arguments; empty: those of the first launch
};
// A C++ file with `extern "C" void FUNCTION(void* const* arguments, const std::size_t* lengths)`; arguments[i] is
// the data of vector i or the address of scalar or struct i, lengths[i] its elements; outputs are written in place.
struct ReferenceFunction {
  std::filesystem::path file;
  std::string function = "reference";
};
// Expected contents of one output, by argument name.
struct ReferenceData {
  std::vector<std::pair<std::string, std::filesystem::path>> outputs;
};
using Reference = std::variant<std::monostate, ReferenceKernel, ReferenceFunction, ReferenceData>;

// |actual - expected| <= absolute + relative * |expected|, element by element. Unset: by element type.
struct Tolerance {
  std::optional<double> absolute;
  std::optional<double> relative;
};

}  // namespace wattune
