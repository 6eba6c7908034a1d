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
      // Visited ids are skipped here, because long runs of them in a resumed search must not end the search.
      if (!visited(*id)) co_await submit(*id);
    }
  }
};

}  // namespace

std::unique_ptr<Strategy> make_exhaustive(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<Exhaustive>(space, options);
}

}  // namespace wattune::search
