#include "dynamic/calls/repeat.h"

#include <algorithm>

namespace wattune::inline v0_1::dynamic {

namespace {

bool is_overwritten(const Argument& argument) {
  const auto* const vector = std::get_if<VectorArgument>(&argument.kind);
  return vector != nullptr && vector->access == ArgumentAccess::read_write;
}

bool is_one_launch(const Problem& problem, const Configuration& configuration) {
  const Result<tune::Launch> launch = problem.plan.evaluate(configuration);
  return launch && launch->steps.size() == 1 && launch->steps.front().repeat == 1;
}

}  // namespace

bool can_be_repeated(const Problem& problem, const Configuration& failed) {
  return std::ranges::none_of(problem.spec.arguments, is_overwritten) || is_one_launch(problem, failed);
}

Error with_spoilt_outputs(Error error) {
  return std::move(error).with_context(
      "some launches of the call ran before one failed, so that its outputs are not what they should be");
}

}  // namespace wattune::dynamic
