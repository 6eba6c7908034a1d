#include "tune/energy/set_up_costs.h"

#include <algorithm>
#include <utility>

namespace wattune::inline v0_1::tune {

void SetUpCosts::keep(Key key, Nanoseconds window, const power::Cost& cost) {
  std::erase_if(known_, [&](const Known& each) { return each.key == key; });
  known_.push_back({std::move(key), window, cost});
}

std::optional<power::Cost> SetUpCosts::find(const Key& key, Nanoseconds window) const {
  const auto found = std::ranges::find(known_, key, &Known::key);
  return found == known_.end() || found->window < window ? std::nullopt : std::optional(found->cost);
}

}  // namespace wattune::tune
