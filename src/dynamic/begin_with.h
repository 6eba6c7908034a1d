// BeginWith: a strategy that proposes given configurations first, in their order, and then follows another, which is
// told of all of them.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "wattune/search/strategy.h"

namespace wattune::dynamic {

class BeginWith : public search::Strategy {
 public:
  // Ids of the space.
  BeginWith(const std::vector<ConfigurationId>& first, std::unique_ptr<search::Strategy> then)
      : Strategy(then->space(), {}), first_(first.begin(), first.end()), then_(std::move(then)) {}

  std::string remark() const override { return then_->remark(); }

 protected:
  std::optional<ConfigurationId> do_propose() override {
    while (const std::optional<ConfigurationId> id = next())
      if (!visited(*id)) return id;
    return std::nullopt;
  }
  // It gets the objective alone, for that is what all strategies read but those by hardware counters.
  void do_learn(ConfigurationId id, std::optional<double> objective) override {
    Observation observation{.status = objective ? Status::correct : Status::runtime};
    observation.objective_value = objective;
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
    const std::vector<ConfigurationId> asked = then_->ask(1);
    return asked.empty() ? std::nullopt : std::optional(asked.front());
  }

  std::deque<ConfigurationId> first_;
  const std::unique_ptr<search::Strategy> then_;
};

}  // namespace wattune::dynamic
