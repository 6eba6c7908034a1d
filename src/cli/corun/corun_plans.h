// Describes, as text, JSON and a plot, how the policy `paired` planned swept pairs.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cli/corun/corun_prospects.h"
#include "cli/corun/corun_sweep.h"
#include "cli/program/json.h"

namespace wattune::cli {

// Returns a line such as "paired takes 9.7 ms: +87.4 %, by 6:2 resident blocks per SM, whose pilots gained +94.5 %."
// Gives the time only if gains are withheld.
std::string planned_text(const schedule::SweptPair& pair);
Json planned_json(const schedule::SweptPair& pair);

// Plots, for several pairs, the gain of `paired` against the gain that its pilots predicted for the same work.
std::string forecasts_svg(const schedule::CorunSession& session, const std::vector<schedule::SweptPair>& pairs);

// The gains of `paired` over the best baseline: the geometric mean over complementary pairs, and the smallest over all
// pairs, with the names of that pair.
struct PlannedGain {
  std::optional<schedule::Gain> of_complementary;
  std::optional<schedule::Gain> least;
  std::array<std::string, 2> names_of_least;
  std::string withheld = {};  // the pair for which no gain is reported, and why; empty if there is none
};
// Computes the gains. Precondition: no more pairs than prospects.
PlannedGain planned_gain(const std::vector<Prospect>& prospects, const std::vector<schedule::SweptPair>& pairs);
std::string planned_gain_text(const PlannedGain& gain);
Json planned_gain_json(const PlannedGain& gain);

}  // namespace wattune::cli
