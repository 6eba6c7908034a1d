#include "company/best_alone.h"

#include <algorithm>
#include <optional>

namespace wattune::inline v0_1::company {

namespace {

class BestAlone final : public search::Strategy {
 public:
  BestAlone(const CompanySpace& space, const std::vector<Soloist>& soloists)
      : Strategy(space.space(), {}), company_(space), soloists_(soloists) {}

 private:
  // Proposes one configuration at a time, since each proposal depends on the outcome of the one before.
  std::optional<ConfigurationId> do_propose() override {
    if (waits_) return std::nullopt;
    if (left_.empty()) list_left();
    std::optional<ConfigurationId> next = ratios_ ? std::nullopt : next_untried();
    if (!next) next = next_ratio();
    waits_ = next.has_value();
    return next;
  }

  void do_learn(ConfigurationId, std::optional<double>) override { waits_ = false; }

  // Lists the configurations of those members that have few. The lists are in reverse: the last configuration of a list
  // comes next.
  void list_left() {
    left_.resize(company_.size());
    for (std::size_t k = 0; k < company_.size(); ++k) {
      const space::SearchSpace& own = company_.own_space(k);
      if (own.count() > kMostVisitedConfigurations) continue;
      for (auto id = own.next(0); id; id = own.next(*id + 1)) left_[k].push_back(*id);
      std::ranges::reverse(left_[k]);
    }
  }

  // Returns the next joint configuration in which some member has a configuration that was not timed alone; nullopt if
  // nothing is left to time. If one member fails, the configurations of the other members come again in the next joint
  // configuration. A configuration that was visited but has no time failed in an earlier run, and is skipped.
  std::optional<ConfigurationId> next_untried() {
    for (;;) {
      for (std::size_t k = 0; k < company_.size(); ++k)
        while (!left_[k].empty() && soloists_[k].find(left_[k].back()) != nullptr) left_[k].pop_back();
      if (std::ranges::all_of(left_, &std::vector<ConfigurationId>::empty)) return std::nullopt;
      const std::optional<ConfigurationId> next = unvisited(together());
      if (next) return next;
      for (std::vector<ConfigurationId>& left : left_)
        if (!left.empty()) left.pop_back();
    }
  }

  // Returns the next untried ratio of resident blocks. The members have the configurations that were the best alone
  // when nothing was left to time.
  std::optional<ConfigurationId> next_ratio() {
    if (!ratios_) {
      const std::optional<ConfigurationId> best = together();
      if (!best) return std::nullopt;
      ratios_ = company_.ratios(*best);
    }
    const auto next = std::ranges::find_if(*ratios_, [this](ConfigurationId id) { return !visited(id); });
    return next == ratios_->end() ? std::nullopt : std::optional(*next);
  }

  // Returns the joint configuration in which each member has its next configuration that is left to time, or otherwise
  // its best configuration alone. Returns nullopt if a member has no correct configuration.
  std::optional<ConfigurationId> together() const {
    std::vector<ConfigurationId> own;
    for (std::size_t k = 0; k < company_.size(); ++k) {
      const auto its = left_[k].empty() ? soloists_[k].best() : std::optional(left_[k].back());
      if (!its) return std::nullopt;
      own.push_back(*its);
    }
    return company_.together(own);
  }

  std::optional<ConfigurationId> unvisited(std::optional<ConfigurationId> id) const {
    return id && !visited(*id) ? id : std::nullopt;
  }

  const CompanySpace& company_;
  const std::vector<Soloist>& soloists_;
  // Untried configurations of each member, in reverse order; empty until they are listed.
  std::vector<std::vector<ConfigurationId>> left_;
  std::optional<std::vector<ConfigurationId>> ratios_;  // joint configurations of the best alone, one for each ratio
  bool waits_ = false;
};

}  // namespace

std::unique_ptr<search::Strategy> make_best_alone(const CompanySpace& space, const std::vector<Soloist>& soloists) {
  return std::make_unique<BestAlone>(space, soloists);
}

}  // namespace wattune::company
