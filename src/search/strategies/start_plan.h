// StartPlan: the configurations with which a search with models begins, before a model can tell which are promising.
//
// If configurations are compiled ahead, spare ones replace configurations that spill registers or do not run. No model
// can tell yet how much spilling costs. But in all recorded kernels no configuration that spills is among the best
// hundredth, and those that spill take 2 to 7 times as long as the others (docs/results/search.md).
#pragma once

#include <functional>
#include <vector>

#include "search/models/model_input.h"

namespace wattune::inline v0_1::search {

class StartPlan {
 public:
  using IsVisited = std::function<bool(ConfigurationId)>;

  bool empty() const { return planned_.empty(); }
  std::size_t size() const { return planned_.size(); }
  void make(std::vector<ConfigurationId> planned, std::vector<ConfigurationId> spare) {
    planned_ = std::move(planned);
    spare_ = std::move(spare);
  }
  // Returns all configurations with which the search may still begin.
  std::vector<ConfigurationId> rest(const IsVisited& visited) const;
  // Returns the planned configuration at a position. If that one spills or is visited, returns the nearest spare
  // configuration that is known not to spill. If there is no such spare one, returns the planned one.
  ConfigurationId at(std::size_t place, const ModelInput& input, const IsVisited& visited) const;

 private:
  std::vector<ConfigurationId> planned_;
  std::vector<ConfigurationId> spare_;
};

}  // namespace wattune::search
