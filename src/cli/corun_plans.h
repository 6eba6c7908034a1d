// What the policy `paired` makes of pairs that were swept: it knows them by pilots, short runs of each ratio and split,
// and the sweep says what became of its choice.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cli/corun_prospects.h"
#include "cli/corun_sweep.h"
#include "cli/json.h"

namespace wattune::cli {

// By pilots of every ratio and split, on a machine on which nothing runs.
Result<schedule::PairForecast> plan_of(schedule::Machine& machine, schedule::KernelId first, schedule::KernelId second);

// The row of what is planned: one after the other where no gain is forecast; of a split that of whole kernels, where
// `paired` runs persistent twins. nullptr: it could not be run.
const schedule::SweepRow* planned_row(const SweptPair& pair);

// "paired plans 6:2 resident blocks per SM: +86.0 % by pilots, +88.1 % here.", a line; empty where it could not be run.
std::string plan_text(const SweptPair& pair);
Json plan_json(const SweptPair& pair);

// What the plans gain over the best baseline: the geometric mean of complementary pairs, and the least of all, with the
// names of that pair.
struct PlannedGain {
  std::optional<double> of_complementary;
  std::optional<double> least;
  std::array<std::string, 2> names_of_least;
};
// Precondition: no more pairs than prospects.
PlannedGain planned_gain(const std::vector<Prospect>& prospects, const std::vector<SweptPair>& pairs);
std::string planned_gain_text(const PlannedGain& gain);
Json planned_gain_json(const PlannedGain& gain);

}  // namespace wattune::cli
