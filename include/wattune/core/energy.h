// Energy and power of an Observation, by whatever name and unit they were recorded.
//
// Every program that records energy names it in its own way. Whoever compares energies asks here, so that there is one
// rule (docs/core.md). Values; any thread may call.
//
//   if (const std::optional<Joules> energy = energy_of(observation)) total += *energy;
#pragma once

#include <optional>
#include <string_view>

#include "wattune/core/observation.h"
#include "wattune/core/trial.h"
#include "wattune/core/units.h"

namespace wattune {

// Of one run, in joules: the first that was recorded of the metrics `energy`, `energy_j`, `energy_mj`, `ps_energy`
// (PowerSensor) and `nvml_energy`, or else the power times the median time. The metric's unit counts (J, mJ, uJ, kJ);
// without one it is joules, which Kernel Tuner's observers record, but for a name that ends in `_mj`. None: a failure,
// or neither was recorded, or it is not finite and positive.
std::optional<Joules> energy_of(const Observation& observation);

// The metric, in joules, of a configuration whose energy was not measured, since its time alone said that it takes more
// than the best did: the least that it takes. Its objective is what this energy would make of it, and so no better than
// it says (docs/measure.md).
inline constexpr std::string_view kLeastEnergy = "energy_at_least";
// Whether that stands in the place of its energy.
bool was_left_out(const Observation& observation);

// Mean of the board while it ran, in watts: the first of `power`, `ps_power` and `nvml_power` (W, mW, kW; without a
// unit watts), or else the energy over the median time. None as above.
std::optional<Watts> power_of(const Observation& observation);

// Adds to every correct Trial the metrics `energy` (J) and `power` (W) where it has them by other names only, so that
// searches and reports know them by these.
void name_energy(ResultSet& results);

// The clock that a configuration names, in MHz: its parameter of the role graphics_clock. None: there is none, or its
// value is no number.
std::optional<Megahertz> graphics_clock_of(const Configuration& configuration,
                                           const std::vector<Parameter>& parameters);

}  // namespace wattune
