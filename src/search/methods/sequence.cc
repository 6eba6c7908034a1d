#include "search/interface/sequence.h"

#include <utility>

namespace wattune::inline v0_1::search {

namespace {

class Sequence final : public Strategy {
 public:
  Sequence(const space::SearchSpace& space, std::unique_ptr<Strategy> first, std::unique_ptr<Strategy> second)
      : Strategy(space, {}), first_(std::move(first)), second_(std::move(second)) {}

  std::string remark() const override { return first_->remark().empty() ? second_->remark() : first_->remark(); }

 private:
  // Proposes the first strategy's next id. When the first strategy has no more ids and waits for no outcome, proposes
  // the second strategy's next id.
  std::optional<ConfigurationId> do_propose() override {
    std::optional<ConfigurationId> next = next_of(*first_);
    if (!next && under_way_ == 0) next = next_of(*second_);
    if (next) ++under_way_;
    return next;
  }

  std::optional<ConfigurationId> next_of(Strategy& strategy) const {
    for (auto ids = strategy.ask(1); !ids.empty(); ids = strategy.ask(1))
      if (!visited(ids.front())) return ids.front();
    return std::nullopt;
  }

  void do_read(ConfigurationId, const Observation& observation) override {
    told_.statistics = observation.statistics;
    told_.metrics = observation.metrics;
  }

  void do_learn(ConfigurationId id, std::optional<double> objective) override {
    Observation told = std::exchange(told_, {});
    told.status = objective ? Status::correct : Status::runtime;
    told.objective_value = objective;
    first_->tell(id, told);
    second_->tell(id, told);
    if (under_way_ > 0) --under_way_;
  }

  std::unique_ptr<Strategy> first_;
  std::unique_ptr<Strategy> second_;
  std::size_t under_way_ = 0;  // number of ids that are proposed but not told yet
  Observation told_;           // the observation that is being told
};

}  // namespace

std::unique_ptr<Strategy> make_sequence(const space::SearchSpace& space, std::unique_ptr<Strategy> first,
                                        std::unique_ptr<Strategy> second) {
  return std::make_unique<Sequence>(space, std::move(first), std::move(second));
}

}  // namespace wattune::search
