// StepPlan: a step of a spec's launches, compiled once per run: a launch of a function or a group of steps. It holds
// the number of repetitions, the name of their index, and the buffers that change places between repetitions.
//
// Mistakes in the spec are errors of compile(); impossible values of one configuration are errors of visit(). Immutable
// after compile.
#pragma once

#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "tune/evaluate/formula.h"
#include "tune/evaluate/geometry_plan.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::inline v0_1::tune {

// For each argument, the argument whose buffer it has at a moment between two launches.
using Holders = std::vector<std::size_t>;

// Returns the holders while no buffers have changed places: each argument holds its own buffer.
inline Holders own_holders(std::size_t arguments) {
  Holders holders(arguments);
  std::iota(holders.begin(), holders.end(), std::size_t{0});
  return holders;
}

class StepPlan;

// A walk through the launches of a run. `launch` is called for each launch with the values that its expressions read:
// the configuration, and the indices of the repetitions around the launch. It also gets the number of times that the
// launch is repeated without a change.
struct StepWalk {
  std::function<Result<void>(const StepPlan& step, const Configuration& values, std::size_t repeat)> launch;
  Holders holders;  // holders between two launches; at the end, after the last launch
  std::size_t repetitions = 0;
};

class StepPlan {
 public:
  // A scalar argument to which the launch gives a value other than the argument's own.
  struct ScalarValue {
    std::size_t argument = 0;
    Formula<Value> value;
  };

  static Result<StepPlan> compile(const LaunchStep& step, const std::shared_ptr<const Names>& names);

  // Calls `walk` for each launch, in order.
  Result<void> visit(const Configuration& configuration, StepWalk& walk) const;

  const std::string& function() const { return function_; }
  const std::vector<std::size_t>& arguments() const { return arguments_; }
  const GeometryPlan& geometry() const { return geometry_; }
  const std::vector<ScalarValue>& values() const { return values_; }
  // Returns the swaps of this step and of all steps in its group.
  std::vector<std::vector<std::size_t>> all_swaps() const;

 private:
  Result<void> compile_launch(const LaunchStep& step, const std::shared_ptr<const Names>& names);
  Result<bool> is_launched(const Configuration& configuration) const;
  Result<std::size_t> repeats(const Configuration& configuration) const;
  Error too_many(std::string message) const;
  Result<void> visit_each(const Configuration& configuration, StepWalk& walk) const;
  Result<void> visit_once(const Configuration& configuration, StepWalk& walk) const;
  Result<void> count(std::size_t repetitions, StepWalk& walk) const;

  std::string function_;
  std::vector<std::size_t> arguments_;
  GeometryPlan geometry_;
  std::vector<ScalarValue> values_;
  std::optional<Formula<bool>> condition_;
  std::optional<SizeFormula> repeat_;
  std::string index_;
  std::vector<std::vector<std::size_t>> swaps_;
  std::vector<StepPlan> group_;
};

}  // namespace wattune::tune
