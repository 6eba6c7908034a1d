// Sequence: one strategy after another on the same space, such as a walk and then a search that continues from its end.
//
// The second strategy begins when the first has nothing left to propose; it is told every outcome of the first. The
// space must outlive the sequence. One thread at a time uses it.
//
//   auto both = make_sequence(space, std::move(walk), std::move(greedy));
#pragma once

#include <memory>

#include "wattune/search/strategy.h"

namespace wattune::inline v0_1::search {

std::unique_ptr<Strategy> make_sequence(const space::SearchSpace& space, std::unique_ptr<Strategy> first,
                                        std::unique_ptr<Strategy> second);

}  // namespace wattune::search
