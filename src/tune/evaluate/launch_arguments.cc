#include "tune/interface/launch_arguments.h"

#include <algorithm>

namespace wattune::inline v0_1::tune {

namespace {

// Returns the value of a scalar argument in this step. It is the value that the step gives, or else the argument's own
// value.
const backend::ScalarBytes& value_of(const PlannedStep& step, std::size_t argument, const backend::ScalarBytes& own) {
  const auto found = std::ranges::find(step.values, argument, &PlannedValue::argument);
  return found == step.values.end() ? own : found->bytes;
}

}  // namespace

std::vector<backend::LaunchArgument> launch_arguments(const std::vector<Argument>& arguments, const Launch& launch,
                                                      const PlannedStep& step,
                                                      std::span<const backend::Buffer* const> buffers) {
  std::vector<backend::LaunchArgument> result;
  result.reserve(step.arguments.size());
  for (const std::size_t i : step.arguments) {
    const auto* vector = std::get_if<VectorArgument>(&arguments[i].kind);
    if (const auto* scalar = std::get_if<backend::ScalarBytes>(&launch.arguments[i]))
      result.emplace_back(value_of(step, i, *scalar));
    else if (const auto* local = std::get_if<backend::LocalBytes>(&launch.arguments[i]))
      result.emplace_back(*local);
    else if (const auto* sampling = std::get_if<Sampling>(&launch.arguments[i]))
      result.emplace_back(*sampling);
    else if (vector != nullptr && vector->place == BufferPlace::constant)
      result.emplace_back(backend::ConstantBuffer{arguments[i].name, buffers[i]});
    else
      result.emplace_back(buffers[i]);  // nullptr becomes a null pointer
  }
  return result;
}

}  // namespace wattune::tune
