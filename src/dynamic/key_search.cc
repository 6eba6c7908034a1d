#include "dynamic/key_search.h"

#include <algorithm>

#include "dynamic/begin_with.h"
#include "wattune/tune/plan.h"

namespace wattune::dynamic {

namespace {

std::vector<ConfigurationId> beginnings(const space::SearchSpace& space, const std::vector<Configuration>& known) {
  std::vector<ConfigurationId> ids;
  for (const Configuration& each : known)
    if (const Result<Configuration> same = same_in(space, each)) ids.push_back(same->id());
  ids.push_back(space.default_configuration());
  return ids;
}

}  // namespace

Result<Configuration> same_in(const space::SearchSpace& space, const Configuration& configuration) {
  std::vector<std::pair<std::string, Value>> values;
  for (std::size_t i = 0; i < configuration.names().size(); ++i)
    values.emplace_back(configuration.names()[i], configuration.values()[i]);
  WATTUNE_ASSIGN(const ConfigurationId id, space.find(values));
  return space.configuration(id);
}

Result<KeySearch> plan_key_search(const Problem& problem, const TuningPolicy& policy,
                                  const std::vector<Configuration>& known) {
  WATTUNE_TRY(policy.stop.validate());
  tune::Plan plan = tune::make_plan(problem.spec, problem.space, policy.strategy, policy.stop);
  const std::optional<Nanoseconds> enough = policy.good_enough ? policy.good_enough(problem.key) : std::nullopt;
  if (enough) plan.stop.target = std::max(plan.stop.target.value_or(0.0), enough->value());
  WATTUNE_ASSIGN(auto strategy, search::make_strategy(plan.strategy, problem.space, {.seed = policy.seed}));
  auto from_known = std::make_unique<BeginWith>(beginnings(problem.space, known), std::move(strategy));
  return KeySearch{std::move(from_known), plan.stop};
}

}  // namespace wattune::dynamic
