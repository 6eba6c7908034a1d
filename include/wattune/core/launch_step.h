// LaunchStep: what is launched, on which arguments, in which geometry. Values; owned. Sizes are expressions in the
// parameters.
//
//   LaunchStep step;
//   step.arguments = {0, 1};  // positions in KernelSpec::arguments
//   step.geometry.sizes = {{{"n"}, {}, {}}};
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "wattune/core/expression_text.h"

namespace wattune {

// How `sizes` of the geometry are meant.
enum class GeometryConvention {
  opencl,  // sizes = global size in work-items; must be a multiple of the work-group
  cuda,    // sizes = the grid in blocks
  divided  // sizes = the problem; the grid is ceil(problem / product of divisors) in each dimension
};

// Empty expressions mean 1, and for `divisors` no division.
struct Geometry {
  GeometryConvention convention = GeometryConvention::opencl;
  std::array<ExpressionText, 3> sizes;
  std::array<ExpressionText, 3> work_group;  // OpenCL's local size, CUDA's block
  std::array<std::vector<ExpressionText>, 3> divisors;
  std::array<ExpressionText, 3> cluster;  // CUDA: blocks of a thread block cluster
  bool cooperative = false;               // CUDA: all blocks at once, so that the grid can be synchronised
};

// What a launch gives a scalar argument in the place of its value.
struct LaunchValue {
  std::size_t argument = 0;  // position in KernelSpec::arguments
  ExpressionText value;
};

// One of several launches, or a series of them: a function of the source on some of the arguments, or a group.
struct LaunchStep {
  std::string function;                // empty: the source's own
  std::vector<std::size_t> arguments;  // positions in KernelSpec::arguments, in the function's order
  Geometry geometry;
  ExpressionText condition;    // left out where it does not hold; empty: always launched
  ExpressionText repeat = {};  // how often it is launched, one after another; empty: once
  std::string index = {};      // in its expressions, the number of the repetition, from 0; empty: no name for it
  std::vector<LaunchValue> values = {};
  // Buffers that change places after each repetition: each argument gets the next one's buffer, the last the first's.
  std::vector<std::vector<std::size_t>> swaps = {};
  std::vector<LaunchStep> group = {};  // launched in its place, one after another: then it has no function
};

}  // namespace wattune
