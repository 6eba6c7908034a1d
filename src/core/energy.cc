#include "core/interface/energy.h"
#include "core/interface/memory_clock.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

namespace wattune::inline v0_1 {

namespace {

// A name or a unit of a metric, with the number of joules or watts that 1 of it stands for.
struct Scale {
  std::string_view name;
  double base;
};

constexpr Scale kEnergyNames[] = {
    {"energy", 1.0}, {"energy_j", 1.0}, {"energy_mj", 1e-3}, {"ps_energy", 1.0}, {"nvml_energy", 1.0}};
constexpr Scale kEnergyUnits[] = {{"J", 1.0},        {"joule", 1.0}, {"joules", 1.0}, {"mJ", 1e-3},
                                  {"\u00b5J", 1e-6}, {"uJ", 1e-6},   {"kJ", 1e3}};
constexpr Scale kPowerNames[] = {{"power", 1.0}, {"ps_power", 1.0}, {"nvml_power", 1.0}};
constexpr Scale kPowerUnits[] = {{"W", 1.0}, {"watt", 1.0}, {"watts", 1.0}, {"mW", 1e-3}, {"kW", 1e3}};

const Metric* find(const Observation& observation, std::string_view name) {
  const auto found = std::ranges::find(observation.metrics, name, &Metric::name);
  return found == observation.metrics.end() ? nullptr : &*found;
}

// Returns the metric's value in joules or watts, by its unit, or by its name if it has no unit; nullopt if the unit
// belongs to another quantity.
std::optional<double> scaled(const Metric& metric, const Scale& name, std::span<const Scale> units) {
  double base = name.base;
  if (!metric.unit.empty()) {
    const auto unit = std::ranges::find(units, metric.unit, &Scale::name);
    if (unit == units.end()) return std::nullopt;
    base = unit->base;
  }
  const double value = metric.value * base;
  return std::isfinite(value) && value > 0.0 ? std::optional(value) : std::nullopt;
}

std::optional<double> recorded(const Observation& observation, std::span<const Scale> names,
                               std::span<const Scale> units) {
  if (!observation.ok()) return std::nullopt;
  for (const Scale& name : names) {
    const Metric* const metric = find(observation, name.name);
    if (metric == nullptr) continue;
    if (const auto value = scaled(*metric, name, units)) return value;
  }
  return std::nullopt;
}

// Sets the metric of this name and unit. Replaces a metric of the same name in another unit, because readers look only
// for the name.
void name_as(Observation& observation, const char* name, const char* unit, double value) {
  std::erase_if(observation.metrics, [&](const Metric& metric) { return metric.name == name; });
  observation.metrics.push_back({name, value, unit});
}

bool is_named(const Observation& observation, const char* name, const char* unit) {
  const Metric* const metric = find(observation, name);
  return metric != nullptr && (metric->unit.empty() || metric->unit == unit);
}

}  // namespace

std::optional<Joules> energy_of(const Observation& observation) {
  if (const auto energy = recorded(observation, kEnergyNames, kEnergyUnits)) return Joules(*energy);
  const auto power = recorded(observation, kPowerNames, kPowerUnits);
  return power ? std::optional(Watts(*power) * observation.statistics->median) : std::nullopt;
}

bool was_left_out(const Observation& observation) { return find(observation, kLeastEnergy) != nullptr; }

std::optional<Watts> power_of(const Observation& observation) {
  if (const auto power = recorded(observation, kPowerNames, kPowerUnits)) return Watts(*power);
  const auto energy = recorded(observation, kEnergyNames, kEnergyUnits);
  return energy ? std::optional(Joules(*energy) / observation.statistics->median) : std::nullopt;
}

const Metric* impossible_energy(const Observation& observation) {
  const auto is_one_of = [](std::span<const Scale> names, const Metric& metric) {
    return std::ranges::find(names, metric.name, &Scale::name) != names.end();
  };
  const auto found = std::ranges::find_if(observation.metrics, [&](const Metric& metric) {
    return (is_one_of(kEnergyNames, metric) || is_one_of(kPowerNames, metric)) && !(metric.value > 0.0);
  });
  return observation.ok() && found != observation.metrics.end() ? &*found : nullptr;
}

void name_energy(ResultSet& results) {
  for (Trial& trial : results.trials) {
    Observation& observation = trial.observation;
    const std::optional<Joules> energy = energy_of(observation);
    const std::optional<Watts> power = power_of(observation);
    if (energy && !is_named(observation, "energy", "J")) name_as(observation, "energy", "J", energy->value());
    if (power && !is_named(observation, "power", "W")) name_as(observation, "power", "W", power->value());
  }
}

std::optional<Megahertz> graphics_clock_of(const Configuration& configuration,
                                           const std::vector<Parameter>& parameters) {
  const auto clock = std::ranges::find(parameters, ParameterRole::graphics_clock, &Parameter::role);
  const Value* const value = clock == parameters.end() ? nullptr : configuration.find(clock->name);
  return value != nullptr && value->is_number() ? std::optional(Megahertz(value->as_real())) : std::nullopt;
}

Result<std::optional<Megahertz>> memory_clock_of(const Configuration& configuration,
                                                 const std::vector<Parameter>& parameters) {
  const auto clock = std::ranges::find(parameters, ParameterRole::memory_clock, &Parameter::role);
  const Value* const value = clock == parameters.end() ? nullptr : configuration.find(clock->name);
  if (clock == parameters.end()) return std::optional<Megahertz>();
  if (value != nullptr && value->is_number() && value->as_real() > 0.0)
    return std::optional(Megahertz(value->as_real()));
  return Error(ErrorCode::invalid_argument, "the memory's clock of a recorded configuration is unknown")
      .about(configuration.to_string())
      .hint("record the kernel at a known memory clock, or leave this configuration out");
}

}  // namespace wattune
