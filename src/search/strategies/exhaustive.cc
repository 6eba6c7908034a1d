#include "search/strategies/algorithm.h"
#include "search/strategies/strategies.h"

namespace wattune::inline v0_1::search {

namespace {

// A strategy that proposes every configuration, ids ascending.
class Exhaustive final : public Algorithm {
 public:
  using Algorithm::Algorithm;

 private:
  Task<> search() override {
    for (auto id = space().next(0); id; id = space().next(*id + 1)) {
      // Visited ids are skipped here: a long resumed run must not count as a lack of something new.
      if (!visited(*id)) co_await submit(*id);
    }
  }
};

}  // namespace

std::unique_ptr<Strategy> make_exhaustive(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<Exhaustive>(space, options);
}

}  // namespace wattune::search
