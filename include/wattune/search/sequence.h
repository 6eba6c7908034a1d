// Sequence: one strategy after another on the same space, such as a walk and what goes on from where it ended.
//
// The second begins when the first has nothing left to propose, and has been told of all that the first met. The space
// outlives it; one thread at a time.
//
//   auto both = make_sequence(space, std::move(walk), std::move(greedy));
#pragma once

#include <memory>

#include "wattune/search/strategy.h"

namespace wattune::search {

std::unique_ptr<Strategy> make_sequence(const space::SearchSpace& space, std::unique_ptr<Strategy> first,
                                        std::unique_ptr<Strategy> second);

}  // namespace wattune::search
