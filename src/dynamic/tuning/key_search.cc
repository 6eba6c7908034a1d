#include "dynamic/tuning/key_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <functional>
#include <numeric>

#include "dynamic/tuning/begin_with.h"
#include "wattune/tune/session.h"

namespace wattune::inline v0_1::dynamic {

namespace {

std::vector<ConfigurationId> beginnings(const space::SearchSpace& space, const std::vector<Configuration>& known) {
  std::vector<ConfigurationId> ids;
  const auto add = [&ids](ConfigurationId id) {
    if (std::ranges::count(ids, id) == 0) ids.push_back(id);
  };
  for (const Configuration& each : known)
    if (const Result<Configuration> near = nearest_in(space, each)) add(near->id());
  add(space.default_configuration());
  return ids;
}

const Parameter* find_parameter(const space::SearchSpace& space, const std::string& name) {
  const auto found = std::ranges::find(space.parameters(), name, &Parameter::name);
  return found == space.parameters().end() ? nullptr : &*found;
}

NamedValues values_in(const space::SearchSpace& space, const Configuration& configuration) {
  NamedValues values;
  for (std::size_t i = 0; i < configuration.names().size(); ++i) {
    const Parameter* const parameter = find_parameter(space, configuration.names()[i]);
    const bool is_given = parameter != nullptr && parameter->values.size() == 1;
    values.emplace_back(configuration.names()[i], is_given ? parameter->values.front() : configuration.values()[i]);
  }
  return values;
}

bool is_in(const space::SearchSpace& space, const std::pair<std::string, Value>& value) {
  const Parameter* const parameter = find_parameter(space, value.first);
  return parameter != nullptr && std::ranges::count(parameter->values, value.second) > 0;
}

// Returns the valid configuration that agrees with `values` in all parameters but i. If there are several, returns that
// whose value of parameter i is nearest to the present value in the parameter's list.
std::optional<ConfigurationId> find_changed(const space::SearchSpace& space, NamedValues values, std::size_t i) {
  const Parameter* const parameter = find_parameter(space, values[i].first);
  const std::vector<Value>& list = parameter->values;
  const auto own = std::ranges::find(list, values[i].second) - list.begin();
  std::vector<std::ptrdiff_t> nearest_first(list.size());
  std::iota(nearest_first.begin(), nearest_first.end(), 0);
  std::ranges::stable_sort(nearest_first, {}, [own](std::ptrdiff_t index) { return std::abs(index - own); });
  for (const std::ptrdiff_t index : nearest_first) {
    values[i].second = list[static_cast<std::size_t>(index)];
    if (const Result<ConfigurationId> id = space.find(values)) return *id;
  }
  return std::nullopt;
}

// Returns the time that the application's function gives for a key. Returns nullopt if there is no function, or if it
// gives no time.
Result<std::optional<Nanoseconds>> time_for(const Key& key,
                                            const std::function<std::optional<Nanoseconds>(const Key&)>& function,
                                            const char* name) {
  try {
    return function ? function(key) : std::nullopt;
  } catch (const std::exception& thrown) {
    return Error(ErrorCode::invalid_argument, fmt::format("TuningPolicy::{} threw: {}", name, thrown.what()));
  } catch (...) {
    return Error(ErrorCode::invalid_argument, fmt::format("TuningPolicy::{} threw", name));
  }
}

}  // namespace

Result<Configuration> same_in(const space::SearchSpace& space, const Configuration& configuration) {
  WATTUNE_ASSIGN(const ConfigurationId id, space.find(values_in(space, configuration)));
  return space.configuration(id);
}

Result<Configuration> nearest_in(const space::SearchSpace& space, const Configuration& configuration) {
  Result<Configuration> same = same_in(space, configuration);
  if (same) return same;
  const NamedValues values = values_in(space, configuration);
  if (!std::ranges::all_of(values, [&](const auto& value) { return is_in(space, value); })) return same;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (const std::optional<ConfigurationId> id = find_changed(space, values, i)) return space.configuration(*id);
  return same;
}

Result<KeySearch> plan_key_search(const Problem& problem, const TuningPolicy& policy,
                                  const std::vector<Configuration>& known) {
  WATTUNE_TRY(policy.stop.validate());
  tune::Plan plan = tune::make_plan(problem.spec, problem.space, policy.strategy, policy.stop);
  // Small spaces, too, are searched by the strategy `auto`, not in the order of ids. The reason is that an application
  // pays for each trial and may end before all trials were made.
  const bool is_named = !policy.strategy.empty() || !problem.spec.strategy.empty();
  if (!is_named) plan.strategy = "auto";
  WATTUNE_ASSIGN(const auto enough, time_for(problem.key, policy.good_enough, "good_enough"));
  WATTUNE_ASSIGN(const auto least, time_for(problem.key, policy.least_time, "least_time"));
  if (enough) plan.stop.target = std::max(plan.stop.target.value_or(0.0), enough->value());
  const std::vector<ConfigurationId> first = beginnings(problem.space, known);
  WATTUNE_ASSIGN(auto strategy,
                 search::make_strategy(plan.strategy, problem.space, {.seed = policy.seed, .start = first.front()}));
  // If calls pay for trials, neighbours of the best configuration come first, because few other configurations are as
  // fast.
  const bool nearby = policy.safety != Safety::screened && !is_named;
  auto from_known = std::make_unique<BeginWith>(first, nearby, policy.seed, std::move(strategy));
  return KeySearch{std::move(from_known), plan.stop, first.size(), least.value_or(Nanoseconds()),
                   policy.adopt_unverified};
}

}  // namespace wattune::dynamic
