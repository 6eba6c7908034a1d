// BeginWith: a strategy that first proposes given configurations, in their order. If `nearby` is true, it then proposes
// neighbours of the best configuration so far. After that it makes the proposals of another strategy, which is told all
// results.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "wattune/search/strategy.h"

namespace wattune::inline v0_1::dynamic {

class BeginWith : public search::Strategy {
 public:
  // Takes ids of the space. If `nearby` is true, the configurations after `first` are the neighbours of the best
  // configuration so far, which differ from it in one parameter. Neighbours are shuffled by the seed. Neighbours of the
  // second best configuration follow, and so on.
  BeginWith(const std::vector<ConfigurationId>& first, bool nearby, std::uint64_t seed,
            std::unique_ptr<search::Strategy> then)
      : Strategy(then->space(), {.seed = seed}),
        first_(first.begin(), first.end()),
        nearby_(nearby),
        then_(std::move(then)) {}

  std::string remark() const override { return then_->remark(); }

 protected:
  std::optional<ConfigurationId> do_propose() override {
    while (const std::optional<ConfigurationId> id = next())
      if (!visited(*id)) {
        ++in_flight_;
        return id;
      }
    return std::nullopt;
  }
  // Tells the other strategy the objective only. No strategy reads anything else, except those that use hardware
  // counters.
  void do_learn(ConfigurationId id, std::optional<double> objective) override {
    if (in_flight_ > 0) --in_flight_;
    Observation observation{.status = objective ? Status::correct : Status::runtime};
    observation.objective_value = objective;
    if (nearby_ && objective) told_.emplace(*objective, neighbours_of(id));
    if (objective) observation.statistics = Statistics{.median = Nanoseconds(*objective)};
    then_->tell(id, observation);
  }

 private:
  std::optional<ConfigurationId> next() {
    if (!first_.empty()) {
      const ConfigurationId id = first_.front();
      first_.pop_front();
      return id;
    }
    for (auto& [objective, neighbours] : told_) {
      if (neighbours.empty()) continue;
      const ConfigurationId id = neighbours.back();
      neighbours.pop_back();
      return id;
    }
    if (nearby_ && in_flight_ > 0) return std::nullopt;  // waits for results, since their neighbours may be better
    const std::vector<ConfigurationId> asked = then_->ask(1);
    return asked.empty() ? std::nullopt : std::optional(asked.front());
  }

  std::vector<ConfigurationId> neighbours_of(ConfigurationId id) {
    std::vector<ConfigurationId> all = space().neighbours(id, space::Neighbourhood::hamming);
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random().below(i)]);
    return all;
  }

  std::deque<ConfigurationId> first_;
  const bool nearby_;
  std::size_t in_flight_ = 0;
  std::multimap<double, std::vector<ConfigurationId>> told_;  // neighbours not proposed yet, by objective
  const std::unique_ptr<search::Strategy> then_;
};

}  // namespace wattune::dynamic
