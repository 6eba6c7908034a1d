#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <unordered_set>

#include "search/algorithm.h"
#include "search/forest.h"
#include "search/random_choice.h"
#include "search/strategies.h"

namespace wattune::search {

namespace {

double env(const char* n, double d) { const char* s = std::getenv(n); return s ? std::atof(s) : d; }

class Auto final : public Algorithm {
 public:
  Auto(const space::SearchSpace& space, const StrategyOptions& options) : Algorithm(space, options) {}

 private:
  Task<> search() override {
    const auto initial = static_cast<std::size_t>(env("N0", 8));
    std::vector<ConfigurationId> spread;
    if (env("CENTER", 1) > 0) {
      std::vector<double> middle;
      for (const Parameter& p : space().parameters()) middle.push_back(static_cast<double>(p.values.size() - 1) * 0.5);
      spread.push_back(space().project(middle));
    }
    for (auto id : starting_points(initial)) spread.push_back(id);
    for (const ConfigurationId id : spread) co_await submit(id);
    std::size_t count = 0;
    for (;;) {
      std::optional<ConfigurationId> next;
      const auto every = static_cast<std::size_t>(env("EXPLORE", 12));
      if (++count % every != 0) next = propose();
      if (!next) next = draw_unvisited();
      if (!next) co_return;
      co_await submit(*next);
    }
  }

  void do_observe(ConfigurationId id, const Outcome& outcome) override {
    space::ValueIndices indices;
    space().unrank(id, indices);
    all_rows_.insert(all_rows_.end(), indices.begin(), indices.end());
    fails_.push_back(outcome ? 0.0 : 1.0);
    any_failed_ |= !outcome;
    if (outcome) {
      rows_.insert(rows_.end(), indices.begin(), indices.end());
      targets_.push_back(std::log(*outcome));
      points_.push_back({id, *outcome});
      std::push_heap(points_.begin(), points_.end(), [](auto& a, auto& b) { return a.objective > b.objective; });
      std::sort(points_.begin(), points_.end(), [](auto& a, auto& b) { return a.objective < b.objective; });
    }
  }

  std::optional<ConfigurationId> propose() {
    if (points_.size() < 2) return std::nullopt;
    if (targets_.size() >= next_fit_ || points_.front().id != ranked_best_) rank();
    while (!ranked_.empty()) {
      auto id = ranked_.back();
      ranked_.pop_back();
      if (!visited(id)) return id;
    }
    next_fit_ = 0;
    return std::nullopt;
  }

  void rank() {
    const std::size_t width = space().parameters().size();
    forest_.fit(rows_, width, targets_, static_cast<std::size_t>(env("TREES", 30)), random());
    const double stride = std::max(1.0, std::floor(static_cast<double>(targets_.size()) * env("REFIT", 0.1)));
    next_fit_ = targets_.size() + static_cast<std::size_t>(stride);
    if (any_failed_) failure_.fit(all_rows_, width, fails_, 20, random());
    ranked_best_ = points_.front().id;
    std::unordered_set<ConfigurationId, IdHash> pool;
    const auto elite = static_cast<std::size_t>(env("ELITE", 3));
    for (std::size_t i = 0; i < std::min(elite, points_.size()); ++i) {
      for (auto id : space().neighbours(points_[i].id, space::Neighbourhood::hamming)) pool.insert(id);
    }
    const auto uniform = static_cast<std::size_t>(env("UNIFORM", 30));
    for (std::size_t i = 0; i < uniform; ++i) pool.insert(space().sample(random()));
    const double best_log = std::log(points_.front().objective);
    const double kappa = env("KAPPA", 1.0);
    const int mode = static_cast<int>(env("MODE", 1));
    const double xi = env("XI", 0);
    space::ValueIndices indices;
    std::vector<std::pair<double, ConfigurationId>> scored;
    for (auto id : pool) {
      if (visited(id)) continue;
      space().unrank(id, indices);
      Prediction p = forest_.predict(indices);
      double score;
      double s = p.deviation + env("EPS", 1e-9);
      if (mode == 0) score = -(p.mean - kappa * s);
      else { double z = (best_log - xi - p.mean) / s; score = s * (z * 0.5 * std::erfc(-z / std::sqrt(2.0)) + std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi)); score = std::log(score + 1e-300); if (z<-20) score = -700+z; }
      if (!failure_.empty()) { double ok = 1.0 - failure_.predict(indices).mean; score = mode == 0 ? score - env("FAILW", 1.0) * (1 - ok) : score + std::log(ok + 1e-3); }
      scored.push_back({score, id});
    }
    const auto keep = std::min(scored.size(), static_cast<std::size_t>(stride) + 8);
    std::partial_sort(scored.begin(), scored.begin() + keep, scored.end(), std::greater<>());
    ranked_.clear();
    for (auto i = keep; i-- > 0;) ranked_.push_back(scored[i].second);
  }

  std::vector<ConfigurationId> ranked_;
  ConfigurationId ranked_best_ = ~ConfigurationId{0};
  Forest forest_, failure_;
  std::vector<std::uint16_t> rows_, all_rows_;
  std::vector<double> targets_, fails_;
  std::vector<Point> points_;
  bool any_failed_ = false;
  std::size_t next_fit_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_auto(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<Auto>(space, options);
}

}  // namespace wattune::search
