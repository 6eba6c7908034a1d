// AUC bandit: several techniques share one run (Ansel et al.: OpenTuner, PACT 2014, section 4.3; also ATF). The credit
// of techniques is that of Fialho, Da Costa, Schoenauer, Sebag: Analyzing bandit-based adaptive operator selection
// mechanisms, 2010.
//
// Every outcome is reported to all techniques. The next proposal comes from the technique with the highest
//
//   AUC + C sqrt(2 ln(uses of all) / uses),   AUC = 2 / (n (n + 1)) (sum of i over the uses i that gave a new best).
//
// Only the last `window` uses of techniques count. A technique has n of them, numbered from 1, so that later successes
// count more.
#include <algorithm>
#include <cmath>
#include <deque>

#include "search/strategies/algorithm.h"
#include "search/strategies/strategies.h"

namespace wattune::inline v0_1::search {

namespace {

constexpr const char* kTechniques[] = {"differential_evolution", "greedy_mls", "genetic_algorithm",
                                       "pattern_search",         "torczon",    "simulated_annealing"};

class Bandit final : public Algorithm {
 public:
  Bandit(const space::SearchSpace& space, const StrategyOptions& options) : Algorithm(space, options) {
    for (const char* name : kTechniques) {
      StrategyOptions own{.seed = random().bits(), .start = options.start, .parameters = {}};
      techniques_.push_back(make_strategy(name, space, own).value());
    }
  }

 private:
  struct Use {
    std::size_t technique = 0;
    bool improved = false;
  };

  Task<> search() override {
    for (;;) {
      std::optional<ConfigurationId> id;
      for (const std::size_t technique : ranking()) {
        id = ask(technique);
        if (id) break;
      }
      if (!id) id = draw_unvisited();
      if (!id) co_return;
      co_await submit(*id);
    }
  }

  // Asks a technique for a proposal. If another technique has proposed the same configuration before, both wait for its
  // outcome.
  std::optional<ConfigurationId> ask(std::size_t technique) {
    const std::vector<ConfigurationId> ids = techniques_[technique]->ask(1);
    if (ids.empty() || visited(ids.front())) return std::nullopt;
    owners_[ids.front()] = technique;
    return ids.front();
  }

  // Returns the techniques by score, the highest first. Techniques of equal score stay in the order of the list.
  std::vector<std::size_t> ranking() const {
    std::vector<double> uses(techniques_.size(), 0.0);
    std::vector<double> credit(techniques_.size(), 0.0);
    for (const Use& use : window_) {
      uses[use.technique] += 1.0;
      if (use.improved) credit[use.technique] += uses[use.technique];
    }
    std::vector<double> scores;
    for (std::size_t t = 0; t < uses.size(); ++t) {
      const double n = std::max(1.0, uses[t]);
      const double exploration = std::sqrt(2.0 * std::log(static_cast<double>(window_.size()) + 1.0) / n);
      const bool unused = uses[t] == 0.0;
      scores.push_back(unused ? std::numeric_limits<double>::infinity()
                              : 2.0 * credit[t] / (n * (n + 1.0)) + option("exploration") * exploration);
    }
    std::vector<std::size_t> order(scores.size());
    for (std::size_t t = 0; t < order.size(); ++t) order[t] = t;
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t t) { return scores[t]; });
    return order;
  }

  void do_observe(ConfigurationId id, const Outcome& outcome) override {
    Observation observation;
    observation.status = outcome ? Status::correct : Status::runtime;
    if (outcome) observation.statistics = Statistics{.median = Nanoseconds(*outcome)};
    for (const auto& technique : techniques_) technique->tell(id, observation);
    const bool improved = outcome && *outcome < record_;
    if (improved) record_ = *outcome;
    const auto owner = owners_.find(id);
    if (owner == owners_.end()) return;
    window_.push_back({owner->second, improved});
    if (window_.size() > count_option("window")) window_.pop_front();
    owners_.erase(owner);
  }

  std::vector<std::unique_ptr<Strategy>> techniques_;
  std::unordered_map<ConfigurationId, std::size_t, IdHash> owners_;  // the technique of each outstanding proposal
  std::deque<Use> window_;
  double record_ = std::numeric_limits<double>::infinity();
};

}  // namespace

std::unique_ptr<Strategy> make_auc_bandit(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<Bandit>(space, options);
}

}  // namespace wattune::search
