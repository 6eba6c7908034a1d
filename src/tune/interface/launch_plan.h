// LaunchPlan: the launches of a run, with all their expressions compiled once per run.
//
// Mistakes in the spec are errors of compile(); impossible values of one configuration are errors of evaluate().
// Immutable after compile.
//
//   WATTUNE_ASSIGN(auto plan, LaunchPlan::compile(spec, launches_of(spec), names));
//   WATTUNE_ASSIGN(Launch launch, plan.evaluate(space.configuration(id)));
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tune/evaluate/formula.h"
#include "tune/evaluate/geometry_plan.h"
#include "tune/evaluate/step_plan.h"
#include "wattune/backend/device.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::inline v0_1::tune {

// A buffer that a configuration needs.
struct PlannedBuffer {
  std::size_t length = 0;  // number of elements, of vector_width components each
  std::size_t bytes = 0;
  std::optional<backend::PixelLayout> pixels = {};  // layout of an image; empty for other buffers
};
struct PlannedNull {};
using PlannedArgument = std::variant<PlannedBuffer, backend::ScalarBytes, backend::LocalBytes, PlannedNull, Sampling>;

// A value that a launch gives a scalar instead of the argument's own value.
struct PlannedValue {
  std::size_t argument = 0;
  backend::ScalarBytes bytes;
};

// A launch of a kernel, or a series of equal ones.
struct PlannedStep {
  std::string function;
  std::vector<std::size_t> arguments;  // positions in Launch::arguments, in the function's order
  backend::Geometry3 geometry;
  std::size_t repeat = 1;
  std::vector<PlannedValue> values = {};
};

// The launches of one configuration: the steps whose conditions hold, one after another.
struct Launch {
  std::vector<PlannedStep> steps;
  std::vector<PlannedArgument> arguments;  // arguments of the spec, in its order
  Holders holders = {};                    // holders after the last step; empty if no buffers change places
};

// Returns the argument whose buffer holds the contents of `argument` when the launch is over.
std::size_t holder_of(const Launch& launch, std::size_t argument);

// Returns the number of work-items in a work-group of the step.
std::size_t group_items(const PlannedStep& step);
// Returns the bytes of the step's arguments in local memory.
std::size_t local_bytes(const Launch& launch, const PlannedStep& step);

// True if configurations may share compiled code, because some parameter concerns only the launch or the board.
bool shares_code(const KernelSpec& spec);

// The compiled launches of a spec, or of its reference kernel.
class LaunchPlan {
 public:
  // Compiles the spec's arguments with `steps`, which are the spec's own or its reference kernel's.
  static Result<LaunchPlan> compile(const KernelSpec& spec, const std::vector<LaunchStep>& steps,
                                    std::shared_ptr<const Names> names);

  // Returns the launches of a configuration. Fails with errors of the plan's expressions, and if a size or geometry is
  // impossible.
  Result<Launch> evaluate(const Configuration& configuration) const;
  Result<std::vector<PlannedArgument>> arguments(const Configuration& configuration) const;
  // Returns the functions of the steps that are launched, each once.
  Result<std::vector<std::string>> functions(const Configuration& configuration) const;
  // True if the argument is no buffer, or a buffer whose length no tuning parameter changes.
  bool has_fixed_length(std::size_t argument) const;
  const std::shared_ptr<const Names>& names() const { return names_; }

 private:
  struct Vector {
    std::vector<SizeFormula> sizes;  // sizes whose product is the length; one for each dimension of an image
    std::size_t element_bytes;
    std::optional<backend::PixelLayout> pixels;  // layout of the pixels without the sizes
  };
  struct Scalar {
    Formula<Value> value;
    ElementType type;
  };
  // A struct. A scalar is a struct with a single field.
  struct Struct {
    std::vector<Scalar> fields;
    StructLayout layout;
  };
  struct Local {
    SizeFormula length;
    std::size_t element_bytes;
  };
  struct Null {};
  using CompiledArgument = std::variant<Vector, Struct, Local, Null, Sampling>;

  static Result<CompiledArgument> compile_argument(const Argument& argument, const std::shared_ptr<const Names>& names);
  static Result<Vector> compile_vector(const VectorArgument& argument, const std::shared_ptr<const Names>& names);
  static Result<Struct> compile_struct(const StructArgument& argument, const std::shared_ptr<const Names>& names);
  static Result<PlannedArgument> evaluate(const CompiledArgument& argument, const Configuration& configuration);
  static Result<PlannedArgument> evaluate(const Vector& vector, const Configuration& configuration);
  static Result<PlannedArgument> evaluate(const Struct& structure, const Configuration& configuration);
  // Evaluates a launch that reads `values`. `holders` are the holders before the launch; empty if no buffers change
  // places.
  Result<PlannedStep> evaluate(const StepPlan& step, const Configuration& values, std::size_t repeat,
                               const Holders& holders) const;
  // Checks that buffers that change places have the same size and kind.
  Result<void> check_swaps(const std::vector<PlannedArgument>& planned) const;

  std::shared_ptr<const Names> names_;
  std::vector<StepPlan> steps_;
  std::vector<std::vector<std::size_t>> swaps_;  // swaps of all steps
  std::vector<CompiledArgument> arguments_;
  std::vector<std::string> argument_names_;
};

// Returns the limit of the device that the launch exceeds, as far as this is known before compiling; empty if it
// exceeds none.
std::string limit_exceeded(const Launch& launch, const DeviceInfo& device);

}  // namespace wattune::tune
