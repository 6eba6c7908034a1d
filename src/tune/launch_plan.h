// LaunchPlan: everything about a launch that expressions decide, compiled once per run.
//
// Mistakes in the spec are Errors of compile(); what one configuration's values make impossible (a work-group that does
// not divide the global size) is an Error of evaluate(). Immutable after compile.
//
//   WATTUNE_ASSIGN(auto plan, LaunchPlan::compile(spec, spec.geometry, names));
//   WATTUNE_ASSIGN(Launch launch, plan.evaluate(space.configuration(id)));
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tune/formula.h"
#include "wattune/backend/device.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::tune {

struct PlannedBuffer {
  std::size_t length = 0;  // elements, of vector_width components each
  std::size_t bytes = 0;
};
using PlannedArgument = std::variant<PlannedBuffer, backend::ScalarBytes, backend::LocalBytes>;

// What one configuration runs.
struct Launch {
  backend::Geometry3 geometry;
  std::vector<PlannedArgument> arguments;  // in the kernel's order
};

class LaunchPlan {
 public:
  // The spec's arguments with `geometry`, which is its own or its reference kernel's.
  static Result<LaunchPlan> compile(const KernelSpec& spec, const Geometry& geometry,
                                    std::shared_ptr<const Names> names);

  Result<Launch> evaluate(const Configuration& configuration) const;
  Result<std::vector<PlannedArgument>> arguments(const Configuration& configuration) const;
  // Argument i is no buffer, or one whose length no tuning parameter changes.
  bool has_fixed_length(std::size_t argument) const;
  const std::shared_ptr<const Names>& names() const { return names_; }

 private:
  using Size = Formula<std::size_t>;
  struct Dimension {
    std::optional<Size> size;  // of the problem, the global size or the grid, by the convention; 1 when absent
    std::optional<Size> work_group;
    std::vector<Size> divisors;
  };
  struct Vector {
    Size length;
    std::size_t element_bytes;
  };
  struct Scalar {
    Formula<Value> value;
    ElementType type;
  };
  // A struct, or as one with a single field, a scalar.
  struct Struct {
    std::vector<Scalar> fields;
    StructLayout layout;
  };
  struct Local {
    Size length;
    std::size_t element_bytes;
  };
  using CompiledArgument = std::variant<Vector, Struct, Local>;

  static Result<Dimension> compile_dimension(const Geometry& geometry, std::size_t axis,
                                             const std::shared_ptr<const Names>& names);
  static Result<CompiledArgument> compile_argument(const Argument& argument, const std::shared_ptr<const Names>& names);
  static Result<Struct> compile_struct(const StructArgument& argument, const std::shared_ptr<const Names>& names);
  bool has_fixed_geometry() const;
  Result<backend::Geometry3> geometry(const Configuration& configuration) const;
  Result<std::size_t> groups(const Dimension& dimension, std::size_t group_size,
                             const Configuration& configuration) const;
  static Result<PlannedArgument> evaluate(const CompiledArgument& argument, const Configuration& configuration);
  static Result<std::vector<std::byte>> evaluate(const Scalar& scalar, const Configuration& configuration);

  std::shared_ptr<const Names> names_;
  GeometryConvention convention_ = GeometryConvention::opencl;
  std::array<Dimension, 3> dimensions_;
  std::array<std::optional<Size>, 3> cluster_;
  bool cooperative_ = false;
  std::vector<CompiledArgument> arguments_;
  std::vector<std::string> argument_names_;
};

// Which limit of the device the launch is beyond, known before compiling; empty when none.
std::string limit_exceeded(const Launch& launch, const DeviceInfo& device);

}  // namespace wattune::tune
