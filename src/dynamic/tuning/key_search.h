// KeySearch: the strategy that searches a key's space, and the data of its plan. All functions are pure.
#pragma once

#include <memory>
#include <vector>

#include "dynamic/calls/problem.h"
#include "wattune/dynamic/policy.h"
#include "wattune/search/strategy.h"

namespace wattune::inline v0_1::dynamic {

// Returns the configuration of the space with the same values by name. A parameter with one value in the space, such as
// one that the key gives, takes that value. Fails as SearchSpace::find() does.
Result<Configuration> same_in(const space::SearchSpace& space, const Configuration& configuration);
// Returns the configuration of same_in(). If only the constraints exclude it, returns one in which a single parameter
// differs, by as few positions in its list as possible. The best of one key may not be valid for another. Fails as
// same_in() does.
Result<Configuration> nearest_in(const space::SearchSpace& space, const Configuration& configuration);

struct KeySearch {
  std::unique_ptr<search::Strategy> strategy;  // of the problem's space
  search::StopRule stop;
  std::size_t known = 0;     // number of configurations that are tried first, whatever their results
  Nanoseconds least_time{};  // TuningPolicy::least_time; 0 if unknown
  bool adopts_unverified = false;
};

// Plans the search. The policy names the strategy and the stop rule, or tune::make_plan() chooses them. The strategy
// begins with the known configurations, in this order, then the default; those that the space lacks are left out.
// Neighbours of the best follow if the kernel is not screened and neither policy nor spec names a strategy. Fails if
// there is no strategy of that name, if the stop rule is not possible, and with invalid_argument if a function of the
// policy throws.
Result<KeySearch> plan_key_search(const Problem& problem, const TuningPolicy& policy,
                                  const std::vector<Configuration>& known);

}  // namespace wattune::dynamic
