// The length scales of a Gaussian process, one per coordinate, so that it learns which parameters matter (automatic
// relevance determination: Rasmussen, Williams, Gaussian Processes for Machine Learning, 2006, chapter 5.1).
//
// First the fit finds the common scale that explains the observations best. It also decides whether the scale of the
// flags (parameters of two values) is equal to that scale or four times as long. Switching a flag mostly changes the
// time less than going from one end of a list to the other. A handful of observations can show this for all flags
// together.
//
// Then each coordinate's own scale is halved or doubled as long as that raises the likelihood times a log-normal prior
// around the common scale. The prior keeps a scale near the common one if the observations say little about it. With
// few observations or many coordinates all coordinates keep the common scales. The fit costs at most 8 + 6 *
// coordinates processes, each O(n^3) for n observations.
#pragma once

#include <vector>

#include "search/models/gaussian_process.h"

namespace wattune::inline v0_1::search {

// Fits the scales. `flags` says which coordinates are flags. Precondition: at least one observation.
std::vector<double> fit_length_scales(const std::vector<GaussianProcess::Observed>& observed,
                                      const std::vector<bool>& flags);

}  // namespace wattune::search
