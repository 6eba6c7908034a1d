// KeySearch: how a key's space is searched, and when that is over. Pure functions.
#pragma once

#include <memory>
#include <vector>

#include "dynamic/problem.h"
#include "wattune/dynamic/policy.h"
#include "wattune/search/strategy.h"

namespace wattune::dynamic {

// The configuration of the space that has the same values by the same names; where the space leaves a parameter one
// value, as it does of those that a key gives, it has that one. Errors of SearchSpace::find().
Result<Configuration> same_in(const space::SearchSpace& space, const Configuration& configuration);
// The same, or else, if the constraints are all that is against it, with one parameter changed as little as possible,
// by the order of its values: what is best for one key may not be valid for the next. Errors of same_in().
Result<Configuration> nearest_in(const space::SearchSpace& space, const Configuration& configuration);

struct KeySearch {
  std::unique_ptr<search::Strategy> strategy;  // of the problem's space
  search::StopRule stop;
  std::size_t known = 0;     // how many it begins with whatever they show
  Nanoseconds least_time{};  // TuningPolicy::least_time; 0: nobody knows
  bool adopts_unverified = false;
};

// Strategy and rule are the policy's, or those that tune::make_plan() chooses. The strategy begins with what is known,
// by names and values and in this order, then the default configuration; what the space lacks is left out. Of a kernel
// that is not screened, unless the policy or the spec names a strategy, what is near the best comes next. Errors of the
// strategy's name and of the rule; invalid_argument: a function of the policy throws.
Result<KeySearch> plan_key_search(const Problem& problem, const TuningPolicy& policy,
                                  const std::vector<Configuration>& known);

}  // namespace wattune::dynamic
