// Describes how the policy `paired` planned swept pairs, as text, JSON and a plot.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cli/corun/corun_prospects.h"
#include "cli/corun/corun_sweep.h"
#include "cli/program/json.h"

namespace wattune::cli {

// Returns a line such as "paired takes 9.7 ms: +87.4 %, by 6:2 resident blocks per SM, whose pilots gained +94.5 %." If
// gains are withheld, the line has only the time.
std::string planned_text(const schedule::SweptPair& pair);
Json planned_json(const schedule::SweptPair& pair);

// Plots, for several pairs, the gain of `paired` against the gain that its pilots predicted for the same work.
std::string forecasts_svg(const schedule::CorunSession& session, const std::vector<schedule::SweptPair>& pairs);

// The gains of `paired` over the best baseline: the geometric mean over complementary pairs, and the smallest over all
// pairs, with the names of the pair that has it.
struct PlannedGain {
  std::optional<schedule::Gain> of_complementary;
  std::optional<schedule::Gain> least;
  std::array<std::string, 2> names_of_least;
  std::string withheld = {};  // the pair whose gain is withheld, and why; empty if no gain is withheld
};
// Computes the gains. Precondition: there are no more pairs than prospects.
PlannedGain planned_gain(const std::vector<Prospect>& prospects, const std::vector<schedule::SweptPair>& pairs);
std::string planned_gain_text(const PlannedGain& gain);
Json planned_gain_json(const PlannedGain& gain);

}  // namespace wattune::cli
