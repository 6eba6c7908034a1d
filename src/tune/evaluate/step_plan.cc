#include "tune/evaluate/step_plan.h"

#include <fmt/format.h>

#include <utility>

namespace wattune::inline v0_1::tune {

namespace {

// The largest number of repetitions. The number is bounded because every launch of a run has an event, which is kept
// until the run ends.
constexpr std::size_t kMostRepetitions = 100'000;

// A configuration with one more name, which is that of the index of a series.
class Indexed {
 public:
  Indexed(const Configuration& configuration, const std::string& name) : configuration_(configuration) {
    auto names = std::make_shared<std::vector<std::string>>(configuration.names());
    names->push_back(name);
    names_ = std::move(names);
  }

  Configuration at(std::size_t number) const {
    std::vector<Value> values = configuration_.values();
    values.emplace_back(static_cast<std::int64_t>(number));
    return {configuration_.id(), names_, std::move(values)};
  }

 private:
  const Configuration& configuration_;
  Configuration::Names names_;
};

}  // namespace

Result<StepPlan> StepPlan::compile(const LaunchStep& step, const std::shared_ptr<const Names>& names) {
  StepPlan plan;
  plan.function_ = step.function;
  plan.arguments_ = step.arguments;
  plan.index_ = step.index;
  plan.swaps_ = step.swaps;
  const auto inner = step.index.empty() ? names : std::make_shared<const Names>(names->with_index(step.index));
  if (!step.repeat.text.empty()) {
    WATTUNE_ASSIGN(plan.repeat_, SizeFormula::compile(step.repeat, names));
    if (plan.repeat_->fixed()) WATTUNE_TRY(plan.repeats(Configuration()));
  }
  if (!step.condition.text.empty()) {
    WATTUNE_ASSIGN(plan.condition_, Formula<bool>::compile(step.condition, inner));
  }
  for (const LaunchStep& each : step.group) {
    WATTUNE_ASSIGN(StepPlan compiled, compile(each, inner));
    plan.group_.push_back(std::move(compiled));
  }
  if (plan.group_.empty()) WATTUNE_TRY(plan.compile_launch(step, inner));
  return plan;
}

Result<void> StepPlan::compile_launch(const LaunchStep& step, const std::shared_ptr<const Names>& names) {
  WATTUNE_ASSIGN(geometry_, GeometryPlan::compile(step.geometry, names));
  for (const LaunchValue& each : step.values) {
    WATTUNE_ASSIGN(auto value, Formula<Value>::compile(each.value, names));
    values_.push_back({each.argument, std::move(value)});
  }
  return {};
}

// Visits the launches of the step. A step with an index may be left out in some repetitions. Without an index, the
// condition is evaluated once. If the condition is false, the number of repetitions is not evaluated.
Result<void> StepPlan::visit(const Configuration& configuration, StepWalk& walk) const {
  if (!index_.empty()) return visit_each(configuration, walk);
  WATTUNE_ASSIGN(const bool wanted, is_launched(configuration));
  if (!wanted) return {};
  WATTUNE_ASSIGN(const std::size_t repeat, repeats(configuration));
  if (repeat > 0 && group_.empty() && swaps_.empty()) {
    WATTUNE_TRY(count(repeat, walk));
    return walk.launch(*this, configuration, repeat);
  }
  for (std::size_t i = 0; i < repeat; ++i) WATTUNE_TRY(visit_once(configuration, walk));
  return {};
}

Result<void> StepPlan::visit_each(const Configuration& configuration, StepWalk& walk) const {
  WATTUNE_ASSIGN(const std::size_t repeat, repeats(configuration));
  const Indexed indexed(configuration, index_);
  for (std::size_t i = 0; i < repeat; ++i) {
    const Configuration values = indexed.at(i);
    WATTUNE_ASSIGN(const bool wanted, is_launched(values));
    WATTUNE_TRY(wanted ? visit_once(values, walk) : count(1, walk));
  }
  return {};
}

Result<void> StepPlan::visit_once(const Configuration& configuration, StepWalk& walk) const {
  WATTUNE_TRY(count(1, walk));
  if (group_.empty()) WATTUNE_TRY(walk.launch(*this, configuration, 1));
  for (const StepPlan& step : group_) WATTUNE_TRY(step.visit(configuration, walk));
  for (const std::vector<std::size_t>& swap : swaps_)
    for (std::size_t i = 0; i + 1 < swap.size(); ++i) std::swap(walk.holders[swap[i]], walk.holders[swap[i + 1]]);
  return {};
}

Result<bool> StepPlan::is_launched(const Configuration& configuration) const {
  return condition_ ? condition_->evaluate(configuration) : Result<bool>(true);
}

Result<std::size_t> StepPlan::repeats(const Configuration& configuration) const {
  if (!repeat_) return std::size_t{1};
  WATTUNE_ASSIGN(const std::size_t repeat, repeat_->evaluate(configuration));
  if (repeat <= kMostRepetitions) return repeat;
  return too_many(fmt::format("a launch is repeated up to {} times, not {}", kMostRepetitions, repeat));
}

Error StepPlan::too_many(std::string message) const {
  const space::Expression& expression = repeat_->expression();
  return Error(ErrorCode::out_of_range, std::move(message)).at(expression.position()).about(expression.text());
}

// Counts repetitions. Only a step with a number of repetitions can have too many, so the error shows the expression for
// that number.
Result<void> StepPlan::count(std::size_t repetitions, StepWalk& walk) const {
  walk.repetitions += repetitions;
  if (walk.repetitions <= kMostRepetitions || !repeat_) return {};
  return too_many(fmt::format("a run has up to {} launches and repetitions of groups", kMostRepetitions));
}

std::vector<std::vector<std::size_t>> StepPlan::all_swaps() const {
  std::vector<std::vector<std::size_t>> swaps = swaps_;
  for (const StepPlan& step : group_)
    for (std::vector<std::size_t>& swap : step.all_swaps()) swaps.push_back(std::move(swap));
  return swaps;
}

}  // namespace wattune::tune
