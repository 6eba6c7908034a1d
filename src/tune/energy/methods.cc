#include "tune/interface/methods.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/interface/energy.h"
#include "tune/interface/block_shapes.h"

namespace wattune::inline v0_1::tune {

namespace {

constexpr std::string_view kByBaseClock = "energy-to-solution+clocks";

// Returns the error for a recording without energies. It names the metrics that were recorded instead.
Error no_energy(const Recording& recording) {
  const std::vector<std::string> names = recorded_metrics(recording.trials());
  return Error(ErrorCode::invalid_argument, "neither energy nor power was recorded")
      .about(fmt::format("{}", fmt::join(names, ", ")))
      .hint("`wattune tune --observe energy` records it; docs/tune.md has the names that count");
}

Result<Joules> least_energy(const Recording& recording) {
  std::optional<Joules> least;
  for (const Trial& trial : recording.trials()) {
    const auto energy = energy_of(trial.observation);
    if (energy && (!least || *energy < *least)) least = energy;
  }
  if (!least) return no_energy(recording);
  return *least;
}

Observation answer(const Recording& recording, ConfigurationId id) {
  if (const Observation* const recorded = recording.find(id)) return *recorded;
  Observation missing;
  missing.status = Status::not_recorded;
  return missing;
}

}  // namespace

Result<MethodOutcome> replay_method(const std::string& method, const Recording& recording,
                                    const space::SearchSpace& space, const search::MethodOptions& options) {
  WATTUNE_ASSIGN(const Joules least, least_energy(recording));
  search::MethodOptions own = options;
  const KernelSpec spec{.parameters = space.parameters()};
  if (!own.shapes) own.shapes = shapes_to_walk(spec, space, recording.info().device.architecture);
  WATTUNE_ASSIGN(const auto search, search::make_method(method, space, own));
  MethodOutcome outcome{.method = method, .base_clock = options.base_clock};
  for (auto ids = search->ask(1); !ids.empty(); ids = search->ask(1)) {
    ++outcome.evaluations;
    search->tell(ids.front(), answer(recording, ids.front()));
  }
  outcome.remark = search->remark();
  if (!search->chosen()) return outcome;
  const Observation& chosen = *recording.find(*search->chosen());
  outcome.chosen = space.configuration(*search->chosen());
  outcome.time = chosen.statistics->median;
  outcome.energy = *energy_of(chosen);
  outcome.energy_ratio = outcome.energy / least;
  return outcome;
}

Result<std::vector<MethodOutcome>> compare_methods(const Recording& recording, const space::SearchSpace& space,
                                                   const search::MethodOptions& options) {
  const std::vector<Megahertz> clocks = graphics_clocks(space.parameters());
  const bool has_shapes = !block_shapes({.parameters = space.parameters()}, space, {}).empty();
  std::vector<MethodOutcome> outcomes;
  for (const search::MethodInfo& info : search::methods()) {
    if ((info.needs_clocks && clocks.size() < 2) || (info.walks_shapes && !has_shapes)) continue;
    if (info.follows_advice && !options.advised_clock) continue;
    search::MethodOptions own = options;
    std::vector<std::optional<Megahertz>> bases = {std::nullopt};
    if (info.name == kByBaseClock) bases.assign(clocks.begin(), clocks.end());
    for (const std::optional<Megahertz>& base : bases) {
      own.base_clock = base;
      WATTUNE_ASSIGN(MethodOutcome outcome, replay_method(info.name, recording, space, own));
      outcomes.push_back(std::move(outcome));
    }
  }
  return outcomes;
}

std::vector<Megahertz> graphics_clocks(const std::vector<Parameter>& parameters) {
  const auto clock = std::ranges::find(parameters, ParameterRole::graphics_clock, &Parameter::role);
  if (clock == parameters.end()) return {};
  std::vector<Megahertz> clocks;
  for (const Value& value : clock->values)
    if (value.is_number()) clocks.emplace_back(value.as_real());
  std::ranges::sort(clocks);
  return clocks;
}

}  // namespace wattune::tune
