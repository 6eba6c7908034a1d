// Energy and power of an Observation, under whatever name and in whatever unit they were recorded.
//
// Every program that records energy names it in its own way. All code that compares energies uses these functions, so
// that one rule holds (docs/core.md). All types are values, and any thread may call the functions.
//
//   if (const std::optional<Joules> energy = energy_of(observation)) total += *energy;
#pragma once

#include <optional>
#include <string_view>

#include "wattune/core/observation.h"
#include "wattune/core/trial.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1 {

// Returns the energy of one run, in joules. It is the first recorded metric among `energy`, `energy_j`, `energy_mj`,
// `ps_energy` (PowerSensor) and `nvml_energy`, or else the power times the median time. A metric's own unit counts (J,
// mJ, uJ, kJ). A metric without a unit is in joules, as Kernel Tuner's observers record it, unless its name ends in
// `_mj`. Returns nullopt for a failure, if neither energy nor power was recorded, and for values that are not finite
// and positive.
std::optional<Joules> energy_of(const Observation& observation);

// The metric, in joules, that stands for the energy of a configuration whose energy was not measured. The time alone
// showed that the configuration needs more energy than the best, so only a lower bound of its energy is recorded. The
// objective is computed from this bound, so the true objective is no better (docs/measure.md).
inline constexpr std::string_view kLeastEnergy = "energy_at_least";
// True if kLeastEnergy was recorded in place of the energy.
bool was_left_out(const Observation& observation);

// Returns the mean power of the board during the runs, in watts. It is the first recorded metric among `power`,
// `ps_power` and `nvml_power` (W, mW, kW; watts without a unit), or else the energy divided by the median time. Returns
// nullopt as energy_of() does.
std::optional<Watts> power_of(const Observation& observation);

// Returns the first recorded energy or power of a correct run that is not above 0, which cannot be; nullptr if there is
// none. The metric belongs to the Observation.
const Metric* impossible_energy(const Observation& observation);

// Adds the metrics `energy` (J) and `power` (W) to every correct Trial that has them only under other names. Searches
// and reports then find them by these names.
void name_energy(ResultSet& results);

// Returns the clock that a configuration names, in MHz: the value of its parameter of the role graphics_clock. Returns
// nullopt if there is no such parameter, or its value is not a number.
std::optional<Megahertz> graphics_clock_of(const Configuration& configuration,
                                           const std::vector<Parameter>& parameters);

}  // namespace wattune
