#include "search/strategies/algorithm.h"
#include "search/strategies/strategies.h"

namespace wattune::inline v0_1::search {

namespace {

// A strategy that proposes every configuration, in ascending order of ids.
class Exhaustive final : public Algorithm {
 public:
  using Algorithm::Algorithm;

 private:
  Task<> search() override {
    for (auto id = space().next(0); id; id = space().next(*id + 1)) {
      // Configurations that were visited before are skipped here. A resumed search begins with many of them in a row,
      // and would end early if submit() got them.
      if (!visited(*id)) co_await submit(*id);
    }
  }
};

}  // namespace

std::unique_ptr<Strategy> make_exhaustive(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<Exhaustive>(space, options);
}

}  // namespace wattune::search
