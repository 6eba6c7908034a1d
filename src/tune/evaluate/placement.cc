#include "wattune/tune/session.h"

#include <utility>
#include <vector>

#include "tune/evaluate/resources.h"
#include "tune/interface/describe_run.h"

namespace wattune::inline v0_1::tune {

std::optional<Configuration> place(const space::SearchSpace& space, const Configuration& recorded) {
  if (recorded.values().size() != space.parameters().size()) return std::nullopt;
  std::vector<std::pair<std::string, Value>> values;
  for (std::size_t i = 0; i < recorded.values().size(); ++i)
    values.emplace_back(recorded.names()[i], recorded.values()[i]);
  const Result<ConfigurationId> id = space.find(values);
  if (!id) return std::nullopt;
  Configuration configuration = space.configuration(*id);
  for (const auto& [name, value] : values)
    if (configuration.find(name)->to_string() != value.to_string()) return std::nullopt;
  return configuration;
}

Result<Placement> placement(const KernelSpec& spec, const space::SearchSpace& space) {
  WATTUNE_ASSIGN(ResourceConstraints constraints, ResourceConstraints::compile(spec, space.parameters()));
  const std::string text = resource_constraints_of(spec);
  return Placement([&space, constraints = std::move(constraints), text](
                       const Trial& trial, const RunInfo& recorded) -> std::optional<Configuration> {
    const auto before = recorded.identity.find(kResourceConstraints);
    const bool same = (before == recorded.identity.end() ? std::string() : before->second) == text;
    if (!same && trial.observation.status == Status::constraints) return std::nullopt;
    std::optional<Configuration> configuration = place(space, trial.configuration);
    if (same || !configuration || !trial.observation.ok()) return configuration;
    const Result<std::string> broken = constraints.broken(trial.observation.metrics, *configuration);
    return broken && broken->empty() ? configuration : std::nullopt;
  });
}

}  // namespace wattune::tune
