// The energy of a recorded space against the clock, with what a model makes of it.
#pragma once

#include <string>
#include <vector>

#include "cli/json.h"
#include "wattune/core/trial.h"
#include "wattune/search/method.h"
#include "wattune/tune/energy_fit.h"

namespace wattune::cli {

// The fit of the code that was recorded at the most clocks. Errors of tune::fit_energy().
Result<tune::EnergyFit> fit_of(const ResultSet& results);

// One line each, for the text and below the picture: what the fit says, or why there is none; and what saving energy
// costs. Empty where no clock has an energy.
std::vector<std::string> describe_energy(const ResultSet& results);

// As SVG; empty where no clock has an energy.
std::string draw_energy(const ResultSet& results);

// docs/formats/json.md; null where there is no fit.
Json fit_json(const ResultSet& results);

}  // namespace wattune::cli
