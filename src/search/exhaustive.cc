#include "search/strategies.h"

namespace wattune::search {

namespace {

// Every configuration, ids ascending.
class Exhaustive final : public Strategy {
 public:
  Exhaustive(const space::SearchSpace& space, const StrategyOptions& options) : Strategy(space, options) {}

 private:
  std::optional<ConfigurationId> do_propose() override {
    for (next_ = next_valid(); next_; next_ = next_valid()) {
      if (!visited(*next_)) return next_;
    }
    return std::nullopt;
  }

  void do_learn(ConfigurationId, std::optional<double>) override {}

  std::optional<ConfigurationId> next_valid() {
    if (!begun_) return begun_ = true, space().next(0);
    return next_ ? space().next(*next_ + 1) : std::nullopt;
  }

  bool begun_ = false;
  std::optional<ConfigurationId> next_;
};

}  // namespace

std::unique_ptr<Strategy> make_exhaustive(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<Exhaustive>(space, options);
}

}  // namespace wattune::search
