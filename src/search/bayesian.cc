// Bayesian optimisation with a Gaussian process, after Willemsen, van Nieuwpoort, van Werkhoven (Bayesian Optimization for
// auto-tuning GPU kernels, PMBS 2021), bounded so that a proposal stays under a millisecond:
//
// - The process holds the best half and the latest of kMaxRows observations. The length scale is the one of a few that
//   explains them best, chosen anew whenever the process is rebuilt.
// - The acquisition is maximised over kCandidates configurations: neighbours of the best ones and random ones.
// - A forest learns from failures; every acquisition is weighted with the predicted probability of success.
// - `multi` chooses among the acquisitions by what they gained so far (GP-Hedge: Hoffman, Brochu, de Freitas: Portfolio
//   Allocation for Bayesian Optimization, UAI 2011).
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "search/gaussian_process.h"
#include "search/local_search.h"
#include "search/strategies.h"

namespace wattune::search {

namespace {

constexpr std::size_t kMaxRows = 200;
constexpr std::size_t kRowsBetweenRebuilds = 40;
constexpr std::size_t kCandidates = 200;
constexpr std::size_t kCandidateAge = 20;  // proposals until candidates are drawn anew
constexpr std::size_t kElite = 3;
constexpr std::size_t kFailureTrees = 10;
constexpr std::array kLengthScales = {0.3, 0.6, 1.2, 2.4};

enum Acquisition : std::size_t { kExpectedImprovement, kConfidenceBound, kImprovementProbability, kMulti };

// Larger is better. `best` is the lowest target.
double acquire(std::size_t acquisition, const Prediction& prediction, double best, double kappa) {
  const double deviation = std::max(prediction.deviation, 1e-9);
  const double z = (best - prediction.mean) / deviation;
  const double below = 0.5 * std::erfc(-z / std::numbers::sqrt2);
  switch (acquisition) {
    case kExpectedImprovement:
      return deviation * (z * below + std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi));
    case kConfidenceBound:
      return std::exp(kappa * deviation - prediction.mean + best);  // positive, so that it can be weighted
    default:
      return below;
  }
}

class BayesianOptimisation final : public LocalSearch {
 public:
  using LocalSearch::LocalSearch;

 private:
  struct Row {
    Coordinates point;
    double target = 0.0;
    ConfigurationId id = 0;
  };

  Task<> search() override {
    for (const ConfigurationId id : starting_points(count_option("initial"))) co_await submit(id);
    for (;;) {
      std::optional<ConfigurationId> next = rows_.size() >= 2 ? propose() : std::nullopt;
      if (!next) next = draw_unvisited();
      if (!next) co_return;
      co_await submit(*next);
    }
  }

  std::optional<ConfigurationId> propose() {
    if (process_.size() < 2 || rows_.size() >= rebuild_at_) rebuild();
    if (candidates_.empty() || age_++ >= kCandidateAge || candidates_for_ != best()->id) draw_candidates();
    const std::size_t wanted = count_option("acquisition");
    const std::size_t acquisition = wanted == kMulti ? draw_acquisition() : wanted;
    std::optional<ConfigurationId> chosen;
    double highest = -1.0;
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      if (visited(candidates_[c])) continue;
      const double value = acquire(acquisition, process_.predict(c), std::log(best()->objective), option("kappa"));
      if (value * success_[c] <= highest) continue;
      highest = value * success_[c];
      chosen = candidates_[c];
    }
    if (chosen) chosen_by_[*chosen] = acquisition;
    return chosen;
  }

  // Mostly the acquisition that gained most.
  std::size_t draw_acquisition() {
    std::array<double, kMulti> shares{};
    double total = 0.0;
    for (std::size_t a = 0; a < kMulti; ++a) total += shares[a] = std::exp(gains_[a] - std::ranges::max(gains_));
    double place = random().uniform() * total;
    for (std::size_t a = 0; a + 1 < kMulti; ++a) {
      if (place < shares[a]) return a;
      place -= shares[a];
    }
    return kMulti - 1;
  }

  void rebuild() {
    rebuild_at_ = std::max(2 * rows_.size(), std::size_t{8});
    rebuild_at_ = std::min(rebuild_at_, rows_.size() + kRowsBetweenRebuilds);
    const std::vector<Row> rows = training_rows();
    double highest = -std::numeric_limits<double>::infinity();
    for (const double scale : kLengthScales) {
      GaussianProcess process(scale * std::sqrt(static_cast<double>(space().parameters().size()) / 4.0));
      for (const Row& row : rows) process.add(row.point, row.target);
      const double likelihood = process.log_likelihood();
      if (likelihood <= highest) continue;
      highest = likelihood;
      process_ = std::move(process);
    }
    candidates_.clear();
  }

  // All of them, or the best half and the latest.
  std::vector<Row> training_rows() {
    if (rows_.size() > kMaxRows) {
      std::vector<Row> latest(rows_.end() - kMaxRows / 2, rows_.end());
      rows_.resize(rows_.size() - kMaxRows / 2);
      std::ranges::stable_sort(rows_, {}, &Row::target);
      rows_.resize(kMaxRows / 2);
      rows_.insert(rows_.end(), latest.begin(), latest.end());
      rebuild_at_ = rows_.size() + kRowsBetweenRebuilds;
    }
    return rows_;
  }

  void draw_candidates() {
    std::vector<Row> elite = rows_;
    std::ranges::stable_sort(elite, {}, &Row::target);
    candidates_.clear();
    for (std::size_t i = 0; i < std::min(kElite, elite.size()); ++i) {
      for (const ConfigurationId id : neighbours(elite[i].id)) {
        if (candidates_.size() < kCandidates * (i + 1) / (kElite + 1)) candidates_.push_back(id);
      }
    }
    while (candidates_.size() < kCandidates) candidates_.push_back(space().sample(random()));
    std::ranges::sort(candidates_);
    candidates_.erase(std::unique(candidates_.begin(), candidates_.end()), candidates_.end());
    std::erase_if(candidates_, [&](ConfigurationId id) { return visited(id); });
    std::vector<Coordinates> points;
    for (const ConfigurationId id : candidates_) points.push_back(scaled(id));
    process_.set_candidates(std::move(points));
    predict_success();
    candidates_for_ = best()->id;
    age_ = 0;
  }

  void predict_success() {
    success_.assign(candidates_.size(), 1.0);
    if (!any_failed_) return;
    Forest forest;
    forest.fit(tried_, space().parameters().size(), failed_, kFailureTrees, random());
    space::ValueIndices indices;
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      space().unrank(candidates_[c], indices);
      success_[c] = 1.0 - forest.predict(indices).mean;
    }
  }

  Coordinates scaled(ConfigurationId id) const {
    Coordinates point = coordinates(space(), id);
    const Coordinates extent = extents(space());
    for (std::size_t p = 0; p < point.size(); ++p) point[p] /= std::max(1.0, extent[p]);
    return point;
  }

  void do_observe(ConfigurationId id, const Outcome& outcome) override {
    space::ValueIndices indices;
    space().unrank(id, indices);
    tried_.insert(tried_.end(), indices.begin(), indices.end());
    failed_.push_back(outcome ? 0.0 : 1.0);
    any_failed_ |= !outcome;
    reward(id, outcome);
    if (!outcome) return;
    rows_.push_back({scaled(id), std::log(*outcome), id});
    if (process_.size() >= 2) process_.add(rows_.back().point, rows_.back().target);
  }

  // The gain of a proposal: how much lower its target is than the mean, in standard deviations; a failure gains nothing.
  void reward(ConfigurationId id, const Outcome& outcome) {
    const auto chosen = chosen_by_.find(id);
    if (chosen == chosen_by_.end()) return;
    for (double& gain : gains_) gain *= kForget;
    if (outcome) gains_[chosen->second] += best()->objective / *outcome;
    chosen_by_.erase(chosen);
  }

  static constexpr double kForget = 0.95;

  GaussianProcess process_{1.0};
  std::vector<Row> rows_;
  std::size_t rebuild_at_ = 0;
  std::vector<ConfigurationId> candidates_;
  std::vector<double> success_;  // of the candidates, predicted
  ConfigurationId candidates_for_ = 0;
  std::size_t age_ = 0;
  std::vector<std::uint16_t> tried_;
  std::vector<double> failed_;
  bool any_failed_ = false;
  std::unordered_map<ConfigurationId, std::size_t, IdHash> chosen_by_;
  std::array<double, kMulti> gains_{};
};

}  // namespace

std::unique_ptr<Strategy> make_bayesian_optimisation(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<BayesianOptimisation>(space, options);
}

}  // namespace wattune::search
