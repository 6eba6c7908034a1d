// StartPlan: the configurations that a search with models begins with, before any model says which are promising.
//
// Where configurations are compiled ahead, those that spill or do not run give way to spare ones. No model says yet
// what spilling costs; but of all kernels at hand none has a configuration that spills among its best hundredth, and
// those that spill take 2 to 7 times as long as the others (docs/results/search.md).
#pragma once

#include <functional>
#include <vector>

#include "search/model_input.h"

namespace wattune::search {

class StartPlan {
 public:
  using IsVisited = std::function<bool(ConfigurationId)>;

  bool empty() const { return planned_.empty(); }
  std::size_t size() const { return planned_.size(); }
  void make(std::vector<ConfigurationId> planned, std::vector<ConfigurationId> spare) {
    planned_ = std::move(planned);
    spare_ = std::move(spare);
  }
  // All that may still be begun with.
  std::vector<ConfigurationId> rest(const IsVisited& visited) const;
  // The planned one at this place or, where that spills or is visited, the nearest spare one that is known not to
  // spill; itself where there is none.
  ConfigurationId at(std::size_t place, const ModelInput& input, const IsVisited& visited) const;

 private:
  std::vector<ConfigurationId> planned_;
  std::vector<ConfigurationId> spare_;
};

}  // namespace wattune::search
