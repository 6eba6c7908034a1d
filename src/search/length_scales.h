// Length scales of a Gaussian process, one per coordinate, so that it learns which parameters matter (automatic
// relevance determination: Rasmussen, Williams, Gaussian Processes for Machine Learning, 2006, chapter 5.1).
//
// First the common scale that explains the observations best, and whether that of the flags, parameters of two values,
// is as long or four times as long: turning something on mostly changes less than going from one end of a list to the
// other, and a handful of observations can tell that of all flags together. Then each coordinate's own is halved or
// doubled as long as that raises the likelihood times a log-normal prior around the common one, which holds a scale
// that the observations say little about. With few observations or many coordinates all keep the common ones. Costs 8 +
// 6 * coordinates processes at most, each O(n^3) for n observations.
#pragma once

#include <vector>

#include "search/gaussian_process.h"

namespace wattune::search {

// `flags` says which coordinates are flags. Precondition: at least one was observed.
std::vector<double> fit_length_scales(const std::vector<GaussianProcess::Observed>& observed,
                                      const std::vector<bool>& flags);

}  // namespace wattune::search
