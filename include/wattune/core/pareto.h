// Several objectives at once: what an Observation amounts to in each, and which of two is better in all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wattune/core/objective.h"
#include "wattune/core/observation.h"

namespace wattune {

// A metric of a correct Observation by name, `time` being the median in seconds; none where it was not recorded.
std::optional<double> value_of(const Observation& observation, const std::string& metric);

// One number per objective, less being better; none for a failure, or where one was not recorded or is not finite.
std::optional<std::vector<double>> costs_of(const Observation& observation, const std::vector<Objective>& objectives);

// Whether a is as good as b in every number and better in one. Precondition: equally many.
bool dominates(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace wattune
