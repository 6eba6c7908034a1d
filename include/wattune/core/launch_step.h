// One launch: its function, its arguments and its geometry. A value that owns its parts. Sizes are expressions in the
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

// The meaning of `sizes` of the geometry.
enum class GeometryConvention {
  opencl,  // sizes = global size in work-items; must be a multiple of the work-group
  cuda,    // sizes = the grid in blocks
  divided  // sizes = the problem; the grid is ceil(problem / product of divisors) in each dimension
};

// The geometry of a launch. Empty expressions mean 1, and for `divisors` no division.
struct Geometry {
  GeometryConvention convention = GeometryConvention::opencl;
  std::array<ExpressionText, 3> sizes;
  std::array<ExpressionText, 3> work_group;  // the local size in OpenCL, the thread block in CUDA
  std::array<std::vector<ExpressionText>, 3> divisors;
  std::array<ExpressionText, 3> cluster;  // CUDA: blocks of a thread block cluster
  bool cooperative = false;               // CUDA: all blocks run at once, so that the grid can synchronise
};

// The value that a launch gives a scalar argument in place of the argument's own.
struct LaunchValue {
  std::size_t argument = 0;  // position in KernelSpec::arguments
  ExpressionText value;
};

// One of several launches, or a series of them: a function of the source on some of the arguments, or a group.
struct LaunchStep {
  std::string function;                // that of the source if empty
  std::vector<std::size_t> arguments;  // positions in KernelSpec::arguments, in the function's order
  Geometry geometry;
  ExpressionText condition;    // the launch is skipped where it does not hold; always launched if empty
  ExpressionText repeat = {};  // the number of launches, one after another; once if empty
  std::string index = {};      // the name of the repetition's number (from 0) in its expressions; empty for no name
  std::vector<LaunchValue> values = {};
  // The buffers that change places after each repetition. Each argument gets the next one's buffer, and the last one
  // gets the first's.
  std::vector<std::vector<std::size_t>> swaps = {};
  std::vector<LaunchStep> group = {};  // launched in its place, one after another; it then has no function
};

}  // namespace wattune
