#include "search/strategies/start_plan.h"

#include <algorithm>

namespace wattune::inline v0_1::search {

std::vector<ConfigurationId> StartPlan::rest(const IsVisited& visited) const {
  std::vector<ConfigurationId> ids = planned_;
  ids.insert(ids.end(), spare_.begin(), spare_.end());
  std::erase_if(ids, visited);
  return ids;
}

ConfigurationId StartPlan::at(std::size_t place, const ModelInput& input, const IsVisited& visited) const {
  const ConfigurationId id = planned_[place];
  const FeatureColumns& features = input.features();
  const bool spills = features.knows(id) && features.spills(id);
  if (!spills && !visited(id)) return id;
  std::vector<ConfigurationId> others = spare_;
  std::erase_if(others,
                [&](ConfigurationId each) { return visited(each) || !features.knows(each) || features.spills(each); });
  if (others.empty()) return id;
  const Coordinates here = input.values().point(id);
  return *std::ranges::min_element(
      others, {}, [&](ConfigurationId each) { return squared_distance(here, input.values().point(each)); });
}

}  // namespace wattune::search
