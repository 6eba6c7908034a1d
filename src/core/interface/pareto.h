// Several objectives at once: the costs of an Observation, and whether one list of costs dominates another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wattune/core/observation.h"
#include "wattune/core/parameter.h"

namespace wattune::inline v0_1 {

// Returns a metric of a correct Observation by name. `time` is the median in seconds. Returns nullopt for a failure,
// and if the metric was not recorded.
std::optional<double> value_of(const Observation& observation, const std::string& metric);

// Returns one number per objective, of which less is better. Returns nullopt for a failure, and if a metric was not
// recorded or is not finite.
std::optional<std::vector<double>> costs_of(const Observation& observation, const std::vector<Objective>& objectives);

// True if a is at least as good as b in every number and better in one. Precondition: both have the same length.
bool dominates(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace wattune
