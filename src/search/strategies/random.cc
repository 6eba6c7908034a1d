#include "search/strategies/algorithm.h"
#include "search/strategies/strategies.h"

namespace wattune::inline v0_1::search {

namespace {

// A strategy of uniform draws without replacement. It first draws one id from each of `stratified` equal slices of the
// ids. Configurations with neighbouring ids share the values of the first parameters, so that the slices cover these
// values evenly.
class RandomSearch final : public Algorithm {
 public:
  using Algorithm::Algorithm;

 private:
  Task<> search() override {
    const std::vector<ConfigurationId> spread = starting_points(count_option("stratified"));
    for (const ConfigurationId id : spread) co_await submit(id);
    for (auto id = draw_unvisited(); id; id = draw_unvisited()) co_await submit(*id);
  }
};

}  // namespace

std::unique_ptr<Strategy> make_random(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<RandomSearch>(space, options);
}

}  // namespace wattune::search
