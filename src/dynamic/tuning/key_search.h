// KeySearch: the strategy that searches a key's space, and the data of its plan. All functions are pure.
#pragma once

#include <memory>
#include <vector>

#include "dynamic/calls/problem.h"
#include "wattune/dynamic/policy.h"
#include "wattune/search/strategy.h"

namespace wattune::inline v0_1::dynamic {

// Returns the configuration of the space in which parameters of the same names have the same values. A parameter with
// only one value in the space, such as one that the key determines, takes that value. Errors are those of
// SearchSpace::find().
Result<Configuration> same_in(const space::SearchSpace& space, const Configuration& configuration);
// Returns the configuration of same_in(). If only the constraints exclude that one, returns one in which a single
// parameter differs, by as few positions in its list as possible. This is needed because the best configuration of one
// key may not be valid for another key. Errors are those of same_in().
Result<Configuration> nearest_in(const space::SearchSpace& space, const Configuration& configuration);

struct KeySearch {
  std::unique_ptr<search::Strategy> strategy;  // strategy for the problem's space
  search::StopRule stop;
  std::size_t known = 0;     // number of configurations that are tried first, whatever their results
  Nanoseconds least_time{};  // result of TuningPolicy::least_time; 0 if unknown
  bool adopts_unverified = false;
};

// Plans the search. The policy names the strategy and the stop rule, or tune::make_plan() chooses them. The strategy
// begins with the known configurations, in this order, and then the default. Configurations that are not in the space
// are left out. If the kernel is not screened and neither policy nor spec names a strategy, neighbours of the best
// configuration follow. Fails if there is no strategy of that name, if the stop rule is not possible, and with
// invalid_argument if a function of the policy throws.
Result<KeySearch> plan_key_search(const Problem& problem, const TuningPolicy& policy,
                                  const std::vector<Configuration>& known);

}  // namespace wattune::dynamic
