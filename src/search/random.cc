#include "search/strategies.h"

namespace wattune::search {

namespace {

// Uniform draws without replacement.
class RandomSearch final : public Strategy {
 public:
  RandomSearch(const space::SearchSpace& space, const StrategyOptions& options) : Strategy(space, options) {}

 private:
  std::optional<ConfigurationId> do_propose() override { return draw_unvisited(); }
  void do_learn(ConfigurationId, std::optional<double>) override {}
};

}  // namespace

std::unique_ptr<Strategy> make_random(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<RandomSearch>(space, options);
}

}  // namespace wattune::search
