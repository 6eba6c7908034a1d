// Describes the energy of a recorded space as a function of the clock, and draws it, with a model fitted to it.
#pragma once

#include <string>
#include <vector>

#include "cli/program/json.h"
#include "tune/interface/energy_fit.h"
#include "wattune/core/trial.h"
#include "wattune/search/method.h"

namespace wattune::cli {

// Fits the model to configurations that differ only in the clock. If there are several groups of such configurations,
// takes the one with the most clocks. Fails as tune::fit_energy() does.
Result<tune::EnergyFit> fit_of(const ResultSet& results);

// Describes the fit, or why there is none, and the cost of saving energy, one line each. The lines appear in the text
// and below the picture. Returns nothing if no clock has an energy.
std::vector<std::string> describe_energy(const ResultSet& results);

// Draws the energy as SVG. Returns an empty text if no clock has an energy.
std::string draw_energy(const ResultSet& results);

// Writes the fit as docs/formats/json.md describes it; null if there is none.
Json fit_json(const ResultSet& results);

}  // namespace wattune::cli
