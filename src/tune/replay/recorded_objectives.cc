// Computes the spec's metrics and objective for recorded Trials, from the recorded figures.
#include <algorithm>
#include <optional>
#include <set>

#include "core/interface/energy.h"
#include "tune/evaluate/metrics.h"
#include "wattune/tune/replay.h"

namespace wattune::inline v0_1::tune {

namespace {

bool is_defined(const KernelSpec& spec, const std::string& metric) {
  return std::ranges::count(spec.metrics, metric, &MetricDefinition::name) > 0;
}

// Returns the names of the recorded metrics that the spec's metrics may read. Metrics that the spec defines are not
// among them, since they are computed anew.
std::vector<std::string> readable_metrics(const std::vector<Trial>& trials, const KernelSpec& spec) {
  std::vector<std::string> names = recorded_metrics(trials);
  std::erase_if(names, [&](const std::string& name) {
    return is_measured(name) || is_defined(spec, name) ||
           std::ranges::count(spec.parameters, name, &Parameter::name) > 0;
  });
  return names;
}

void fail(Observation& observation, Status status, std::string message) {
  observation.status = status;
  observation.message = std::move(message);
  observation.statistics.reset();
}

}  // namespace

std::vector<std::string> recorded_metrics(const std::vector<Trial>& trials) {
  std::set<std::string> names;
  for (const Trial& trial : trials)
    for (const Metric& metric : trial.observation.metrics) names.insert(metric.name);
  return {names.begin(), names.end()};
}

Result<Recording> Recording::with_objectives(const KernelSpec& spec) const {
  WATTUNE_ASSIGN(const Metrics metrics, Metrics::compile(spec, spec.parameters, readable_metrics(trials_, spec)));
  Recording result = *this;
  std::optional<Error> refusal;
  bool any = false;
  for (Trial& trial : result.trials_) {
    Observation& observation = trial.observation;
    if (!observation.ok()) continue;
    observation.objective_value.reset();
    if (metrics.objective_needs_energy() && was_left_out(observation)) {
      fail(observation, Status::not_recorded, "its energy was not measured, because its time alone ruled it out");
      continue;
    }
    std::erase_if(observation.metrics, [&](const Metric& metric) { return is_defined(spec, metric.name); });
    const Result<void> added = metrics.add_to(observation, trial.configuration);
    any = any || added;
    if (added) continue;
    if (!refusal) refusal = added.error();
    fail(observation, Status::constraints, added.error().to_string());
  }
  if (refusal && !any) return *std::move(refusal);
  return result;
}

}  // namespace wattune::tune
