// Length scales of a Gaussian process, one per coordinate, so that it learns which parameters matter (automatic
// relevance determination: Rasmussen, Williams, Gaussian Processes for Machine Learning, 2006, chapter 5.1).
//
// First the common scale that explains the observations best; then each coordinate's own is halved or doubled as long
// as that raises the likelihood times a log-normal prior around the common scale, which holds a scale that the
// observations say little about. With few observations or many coordinates all keep the common one. Costs 4 + 4 *
// coordinates processes at most, each O(n^3) for n observations.
#pragma once

#include <vector>

#include "search/coordinates.h"

namespace wattune::search {

// Precondition: as many points as responses, at least one.
std::vector<double> fit_length_scales(const std::vector<Coordinates>& points, const std::vector<double>& responses);

}  // namespace wattune::search
