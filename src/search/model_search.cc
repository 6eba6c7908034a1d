// Search with models: `bayesian_optimisation`, and `auto`, Wattune's default.
//
// Both measure a few spread configurations, then always the candidate that a model finds most promising. Targets are
// logarithms of times, configurations are seen as Encoding shows them. Candidates are neighbours of the best ones and
// random ones; every acquisition is weighted with the probability of success that a forest learned from failures.
//
// bayesian_optimisation is a Gaussian process alone (Willemsen, van Nieuwpoort, van Werkhoven: Bayesian Optimization
// for auto-tuning GPU kernels, PMBS 2021). Its `multi` acquisition is GP-Hedge (Hoffman, Brochu, de Freitas: Portfolio
// Allocation for Bayesian Optimization, UAI 2011).
//
// auto blends the process, which is good with few observations, with a regression forest, which is good with many and
// with steep interactions: the forest's weight is n / (n + forest) after n observations. It begins with the middle of
// the space, because the ends of tuning parameters are seldom good, and every `explore`-th proposal is drawn uniformly,
// so that a wrong model cannot hold it for ever. Predicted deviations are widened by how far off recent predictions
// were (Calibration), so that a model that is often wrong looks more where it is unsure.
//
// With a prior (earlier runs elsewhere) both models learn what it leaves to explain, the response less slope * prior.
// The search begins as without one, until the prior ranks the first kBeforePrior configurations as they were measured,
// and goes on with the prior's best for as long as it is believed.
//
// Cost: the models hold the best and the latest observations up to a limit, candidates stay for kCandidateAge
// proposals, forests until the outcomes have grown by a share, and the process goes when the forest's weight has passed
// kForestAlone: proposals become cheaper with the observations, not dearer.
#include <algorithm>
#include <array>
#include <cmath>

#include "search/acquisition.h"
#include "search/calibration.h"
#include "search/encoding.h"
#include "search/gaussian_process.h"
#include "search/length_scales.h"
#include "search/local_search.h"
#include "search/prior.h"
#include "search/start.h"
#include "search/strategies.h"

namespace wattune::search {

namespace {

constexpr std::size_t kProcessRows = 200;  // that a rebuilt process holds,
constexpr std::size_t kScaleRows = 64;     // and that its length scales are fitted to, anew
constexpr std::size_t kScaleGrowth = 3;    // when the observations are this share, 1/3, more
constexpr std::size_t kForestRows = 1000;
constexpr std::size_t kRowsBetweenRebuilds = 40;
constexpr std::size_t kCandidates = 200;
constexpr std::size_t kNeighbours = 150;   // of the candidates, at most, are neighbours of the best ones:
constexpr std::size_t kElite = 3;          // best ones at first,
constexpr std::size_t kElitePerRows = 50;  // and one more per so many observations
constexpr std::size_t kFromPrior = 50;     // candidates besides, the prior's best
constexpr std::size_t kFewestRows = 2;     // that a model is asked for
constexpr std::size_t kBeforePrior = 2;    // proposals that a prior must rank before it proposes
constexpr std::size_t kCandidateAge = 20;  // proposals until candidates are drawn anew, more with many observations,
constexpr std::size_t kLargestAge = 50;    // up to this
constexpr std::size_t kOutcomeTrees = 20;
constexpr std::size_t kForestGrowth = 10;  // forests are grown anew when the outcomes are this share, 1/10, more
constexpr double kForestAlone = 0.95;      // the forest's weight at which the process is left out
constexpr double kForget = 0.95;           // of what an acquisition gained, per outcome

class ModelSearch final : public LocalSearch {
 public:
  ModelSearch(const space::SearchSpace& space, const StrategyOptions& options)
      : LocalSearch(space, options), prior_(space, options.prior, random()) {}

 private:
  struct Row {
    ConfigurationId id = 0;
    double response = 0.0;
    Prior::Opinions opinions;
    double prior = 0.0;  // their mean
  };
  struct Candidate {
    ConfigurationId id = 0;
    double prior = 0.0;
    double success = 1.0;  // predicted probability
    Prediction forest;
  };
  // What a proposal was chosen by.
  struct Choice {
    std::size_t acquisition = 0;
    Prediction prediction;  // as the models made it
  };

  Task<> search() override {
    const std::vector<ConfigurationId> cold = cold_start();
    std::size_t from_prior = 0;
    for (std::size_t next = 0; next < cold.size() && from_prior < count_option("initial");) {
      prior_.weigh();
      const std::optional<ConfigurationId> promising = next < kBeforePrior ? std::nullopt : best_of_prior();
      if (promising) ++from_prior;
      const ConfigurationId id = promising ? *promising : cold[next++];
      co_await submit(id);
    }
    for (std::size_t proposals = 1;; ++proposals) {
      const bool explores = option("explore") > 0 && proposals % count_option("explore") == 0;
      std::optional<ConfigurationId> next;
      if (outcomes_ < kFewestRows) {
        next = blind_draw();
      } else if (!explores && rows_.size() >= kFewestRows) {
        next = most_promising();
      }
      if (!next) next = draw_unvisited();
      if (!next) co_return;
      co_await submit(*next);
    }
  }

  std::vector<ConfigurationId> cold_start() {
    std::vector<ConfigurationId> ids;
    if (option("centre") > 0) ids.push_back(space().project(rounded(middle_of(space()))));
    for (const ConfigurationId id : starting_points(count_option("initial")))
      ids.push_back(visited(id) ? id : space().project(rounded(coordinates(space(), id))));
    return ids;
  }

  // For those who want many configurations before the first outcomes.
  std::optional<ConfigurationId> blind_draw() {
    const ConfigurationId id = space().project(rounded(coordinates(space(), space().sample(random()))));
    return visited(id) ? std::nullopt : std::optional(id);
  }

  Coordinates rounded(Coordinates point) const {
    return option("powers") > 0 ? to_powers_of_two(space(), std::move(point)) : point;
  }

  std::optional<ConfigurationId> best_of_prior() const {
    const auto next = std::ranges::find_if(prior_.best(), [&](ConfigurationId id) { return !visited(id); });
    return next == prior_.best().end() ? std::nullopt : std::optional(*next);
  }

  std::optional<ConfigurationId> most_promising() {
    if (!uses_process()) {
      process_ = GaussianProcess({});
    } else if (process_.size() < 2 || observations_ >= rebuild_at_) {
      rebuild_process();
    }
    const std::size_t oldest = std::min(kCandidateAge + observations_ / kCandidateAge, kLargestAge);
    if (candidates_.empty() || age_++ >= oldest || candidates_for_ != best()->id) draw_candidates();
    const std::size_t wanted = count_option("acquisition");
    const std::size_t acquisition = wanted == multi ? draw_acquisition() : wanted;
    const double weight = forest_weight();
    const double record = response_of(best()->objective);
    const double kappa = option("kappa");
    const double widening = option("calibrate") > 0 ? calibration_.factor() : 1.0;
    std::optional<ConfigurationId> chosen;
    Choice choice{.acquisition = acquisition};
    double highest = -1.0;
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      if (visited(candidates_[c].id)) continue;
      const Prediction prediction = predict(c, weight);
      const double value = candidates_[c].success *
                           acquire(acquisition, {prediction.mean, widening * prediction.deviation}, record, kappa);
      if (value <= highest) continue;
      highest = value;
      chosen = candidates_[c].id;
      choice.prediction = prediction;
    }
    if (chosen) choices_[*chosen] = choice;
    return chosen;
  }

  // The logarithm; of a time of zero that of the smallest one.
  static double response_of(double objective) {
    return std::log(std::max(objective, std::numeric_limits<double>::min()));
  }

  bool uses_forest() const { return option("forest") > 0; }
  bool uses_process() const { return forest_weight() < kForestAlone; }

  double forest_weight() const {
    const auto n = static_cast<double>(observations_);
    return uses_forest() ? n / (n + option("forest")) : 0.0;
  }

  Prediction predict(std::size_t c, double weight) const {
    const double offset = slope_ * candidates_[c].prior;
    const Prediction& forest = candidates_[c].forest;
    if (weight >= kForestAlone) return {offset + forest.mean, forest.deviation};
    const Prediction process = process_.predict(c);
    return {offset + process.mean + weight * (forest.mean - process.mean),
            process.deviation + weight * (forest.deviation - process.deviation)};
  }

  // With a probability that grows exponentially with its gains.
  std::size_t draw_acquisition() {
    std::array<double, multi> shares{};
    double total = 0.0;
    for (std::size_t a = 0; a < multi; ++a) total += shares[a] = std::exp(gains_[a] - std::ranges::max(gains_));
    double place = random().uniform() * total;
    for (std::size_t a = 0; a + 1 < multi; ++a) {
      if (place < shares[a]) return a;
      place -= shares[a];
    }
    return multi - 1;
  }

  void rebuild_process() {
    ask_prior();
    if (observations_ >= refit_at_) fit_scales();
    process_ = GaussianProcess(scales_);
    for (const Row& row : best_and_latest(kProcessRows)) process_.add(encoding_.point(row.id), left_to_explain(row));
    rebuild_at_ = observations_ + std::min(observations_, kRowsBetweenRebuilds);
    candidates_.clear();
  }

  void fit_scales() {
    std::vector<Coordinates> points;
    std::vector<double> responses;
    for (const Row& row : best_and_latest(kScaleRows)) {
      points.push_back(encoding_.point(row.id));
      responses.push_back(left_to_explain(row));
    }
    scales_ = fit_length_scales(points, responses);
    refit_at_ = observations_ + observations_ / kScaleGrowth;
  }

  double left_to_explain(const Row& row) const { return row.response - slope_ * row.prior; }

  // How far it holds by now. What the models learned before was by another slope.
  void ask_prior() {
    if (prior_.empty()) return;
    prior_.weigh();
    std::vector<Prior::Pair> pairs;
    for (Row& row : rows_) {
      row.prior = prior_.mean(row.opinions);
      pairs.push_back({row.prior, row.response});
    }
    slope_ = prior_.slope(pairs);
    regrow_at_ = outcomes_;
  }

  // The best half and the latest half of n rows, or all rows.
  std::vector<Row> best_and_latest(std::size_t n) const {
    if (rows_.size() <= n) return rows_;
    const auto half = static_cast<std::ptrdiff_t>(n / 2);
    std::vector<Row> rows(rows_.begin(), rows_.end() - half);
    std::ranges::stable_sort(rows, {}, &Row::response);
    rows.resize(n / 2);
    rows.insert(rows.end(), rows_.end() - half, rows_.end());
    return rows;
  }

  void draw_candidates() {
    std::vector<ConfigurationId> ids;
    std::vector<Row> elite(std::min({kElite + observations_ / kElitePerRows, rows_.size(), kNeighbours}));
    std::ranges::partial_sort_copy(rows_, elite, {}, &Row::response, &Row::response);
    for (std::size_t i = 0; i < elite.size(); ++i) {
      for (const ConfigurationId id : neighbours(elite[i].id)) {
        if (ids.size() < kNeighbours * (i + 1) / elite.size()) ids.push_back(id);
      }
    }
    while (ids.size() < kCandidates) ids.push_back(space().sample(random()));
    for (std::size_t i = 0; i < prior_.best().size() && ids.size() < kCandidates + kFromPrior; ++i) {
      if (!visited(prior_.best()[i])) ids.push_back(prior_.best()[i]);
    }
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    std::erase_if(ids, [&](ConfigurationId id) { return visited(id); });
    candidates_.clear();
    std::vector<Coordinates> points;
    for (const ConfigurationId id : ids) {
      candidates_.push_back({.id = id, .prior = prior_.predict(id)});
      points.push_back(encoding_.point(id));
    }
    if (uses_process()) process_.set_candidates(std::move(points));
    ask_forests();
    candidates_for_ = best()->id;
    age_ = 0;
  }

  void ask_forests() {
    if (outcomes_ >= regrow_at_) grow_forests();
    std::vector<std::uint16_t> row;
    for (Candidate& candidate : candidates_) {
      row.clear();
      encoding_.append_row(candidate.id, row);
      if (!times_.empty()) candidate.forest = times_.predict(row);
      if (!failures_.empty()) candidate.success = 1.0 - failures_.predict(row).mean;
    }
  }

  void grow_forests() {
    regrow_at_ = outcomes_ + outcomes_ / kForestGrowth;
    const std::size_t width = encoding_.width();
    if (uses_forest()) {
      std::vector<std::uint16_t> rows;
      std::vector<double> responses;
      for (const Row& row : best_and_latest(kForestRows)) {
        encoding_.append_row(row.id, rows);
        responses.push_back(left_to_explain(row));
      }
      times_.fit(rows, width, responses, kOutcomeTrees, random());
    }
    if (!any_failed_) return;
    const std::size_t latest = std::min(failed_.size(), kForestRows);
    failures_.fit(std::span(tried_).last(latest * width), width, std::span(failed_).last(latest), kOutcomeTrees,
                  random());
  }

  void do_observe(ConfigurationId id, const Outcome& outcome) override {
    ++outcomes_;
    remember_success(id, outcome.has_value());
    judge_choice(id, outcome);
    if (!outcome) return;
    Row row{.id = id, .response = response_of(*outcome), .opinions = prior_.opinions(id)};
    row.prior = prior_.mean(row.opinions);
    prior_.learn(row.opinions, row.response);
    rows_.push_back(row);
    if (rows_.size() >= 2 * kForestRows) rows_ = best_and_latest(kForestRows);
    ++observations_;
    if (process_.size() >= 2) process_.add(encoding_.point(id), left_to_explain(row));
  }

  void remember_success(ConfigurationId id, bool succeeded) {
    encoding_.append_row(id, tried_);
    failed_.push_back(succeeded ? 0.0 : 1.0);
    any_failed_ |= !succeeded;
    if (failed_.size() < 2 * kForestRows) return;
    const auto width = static_cast<std::ptrdiff_t>(encoding_.width());
    failed_.erase(failed_.begin(), failed_.begin() + kForestRows);
    tried_.erase(tried_.begin(), tried_.begin() + kForestRows * width);
  }

  // A proposal gains its acquisition best / time; a failure gains nothing and says nothing of predicted times.
  void judge_choice(ConfigurationId id, const Outcome& outcome) {
    const auto found = choices_.find(id);
    if (found == choices_.end()) return;
    const Choice choice = found->second;
    choices_.erase(found);
    for (double& gain : gains_) gain *= kForget;
    if (!outcome) return;
    if (*outcome > 0.0) gains_[choice.acquisition] += best()->objective / *outcome;
    calibration_.add(choice.prediction, response_of(*outcome));
  }

  Encoding encoding_{space()};
  Prior prior_;
  double slope_ = 1.0;            // of the prior
  std::vector<Row> rows_;         // in the order of observation, the oldest thinned out
  std::size_t observations_ = 0;  // that did not fail
  GaussianProcess process_{{}};
  std::size_t rebuild_at_ = 0;
  std::vector<double> scales_;  // of the process
  std::size_t refit_at_ = 0;
  std::size_t outcomes_ = 0;  // failures too
  Forest times_;              // of the responses
  Forest failures_;           // of what failed
  std::size_t regrow_at_ = 0;
  std::vector<Candidate> candidates_;   // in the order of the process's
  ConfigurationId candidates_for_ = 0;  // the best one when they were drawn
  std::size_t age_ = 0;
  std::vector<std::uint16_t> tried_;  // rows of every configuration observed, one after the other
  std::vector<double> failed_;        // 1 for a failure
  bool any_failed_ = false;
  Calibration calibration_;
  std::unordered_map<ConfigurationId, Choice, IdHash> choices_;  // whose outcomes are awaited
  std::array<double, multi> gains_{};
};

}  // namespace

std::unique_ptr<Strategy> make_model_search(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<ModelSearch>(space, options);
}

}  // namespace wattune::search
