#include "dynamic/screening/kept_evaluators.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace wattune::inline v0_1::dynamic {

std::deque<KeptEvaluators::Kept>::const_iterator KeptEvaluators::find(const void* owner) const {
  return std::ranges::find_if(kept_, [owner](const Kept& each) { return each.owner.get() == owner; });
}

std::unique_ptr<tune::Evaluator> KeptEvaluators::take(const void* owner) {
  const auto found = find(owner);
  if (found == kept_.end()) return nullptr;
  const auto place = kept_.begin() + (found - kept_.cbegin());
  std::unique_ptr<tune::Evaluator> evaluator = std::move(place->evaluator);
  kept_.erase(place);
  return evaluator;
}

void KeptEvaluators::keep(Owner owner, std::unique_ptr<tune::Evaluator> evaluator, std::uint64_t bytes) {
  kept_.push_back({std::move(owner), std::move(evaluator), bytes});
  if (kept_.size() > kMostEvaluators) kept_.pop_front();
}

std::uint64_t KeptEvaluators::bytes() const {
  return std::accumulate(kept_.begin(), kept_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Kept& each) { return sum + each.bytes; });
}

void KeptEvaluators::let_go_beyond(std::uint64_t most) {
  while (!kept_.empty() && bytes() > most) kept_.pop_front();
}

}  // namespace wattune::dynamic
