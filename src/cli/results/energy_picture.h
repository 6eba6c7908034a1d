// Describes and draws the energy of a recorded space against the clock, with a model fitted to it.
#pragma once

#include <string>
#include <vector>

#include "cli/program/json.h"
#include "tune/interface/energy_fit.h"
#include "wattune/core/trial.h"
#include "wattune/search/method.h"

namespace wattune::cli {

// Fits the model to the configurations that differ only in the clock; of several such groups, to that with the most
// clocks. Fails as tune::fit_energy() does.
Result<tune::EnergyFit> fit_of(const ResultSet& results);

// Describes, one line each, the fit or why there is none, and the cost of saving energy. The lines stand in the text,
// and below the picture. Empty if no clock has an energy.
std::vector<std::string> describe_energy(const ResultSet& results);

// Draws the energy as SVG; empty if no clock has an energy.
std::string draw_energy(const ResultSet& results);

// Writes the fit as docs/formats/json.md describes it; null if there is none.
Json fit_json(const ResultSet& results);

}  // namespace wattune::cli
