#include "search/algorithm.h"
#include "search/strategies.h"

namespace wattune::search {

namespace {

// Uniform draws without replacement; at first one from each of `stratified` equal slices of the ids (ids that are near
// share the values of the first parameters, so that slices spread over these).
class RandomSearch final : public Algorithm {
 public:
  RandomSearch(const space::SearchSpace& space, const StrategyOptions& options)
      : Algorithm(space, options), stratified_(static_cast<std::size_t>(options.parameters.at("stratified"))) {}

 private:
  Task<> search() override {
    const std::vector<ConfigurationId> spread = starting_points(stratified_);
    for (const ConfigurationId id : spread) co_await submit(id);
    for (auto id = draw_unvisited(); id; id = draw_unvisited()) co_await submit(*id);
  }

  std::size_t stratified_;
};

}  // namespace

std::unique_ptr<Strategy> make_random(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<RandomSearch>(space, options);
}

}  // namespace wattune::search
