// Search with models: `bayesian_optimisation`, and `auto`, Wattune's default.
//
// Both first measure a few configurations that together show many values (start.h), then always the candidate that is
// the most promising by a model. Responses are logarithms of times; Encoding turns configurations into numbers.
// Candidates are drawn around the best ones and at random (CandidateSearch). Every acquisition is multiplied by the
// probability of success, which a forest learned from failures. The Gaussian process follows slow observations only
// loosely (Noise).
//
// `bayesian_optimisation` uses a Gaussian process alone (Willemsen, van Nieuwpoort, van Werkhoven: Bayesian
// Optimization for auto-tuning GPU kernels, PMBS 2021). Its `multi` acquisition is Hedge.
//
// `auto` blends the process, which predicts well from few observations, with a regression forest, which predicts better
// from many and with steep interactions. The forest's weight is n / (n + forest) after n observations. Predicted
// deviations are widened by the errors of recent predictions (Calibration), so that a model that is often wrong
// explores more. Until kExploringOutcomes outcomes every `explore`-th proposal widens them further, because models of a
// few outcomes are often wrong. Models of more outcomes choose better by themselves.
//
// Expected improvement prefers uncertain configurations, and late in a search most uncertain configurations are poor.
// So after kOutcomesBeforeImprovement outcomes without a new best the probability of improvement takes its place. If
// models are wrong, no acquisition helps. So after kOutcomesWithoutModel outcomes without a new best, every second
// proposal is the configuration most similar to the best ones, whatever the models predict.
//
// If more than the first few proposals are wanted before there are any outcomes, the further ones contain the pairs of
// values that were proposed least (PairCounts).
//
// Until kExploringOutcomes outcomes, a candidate's acquisition is reduced for each parameter that could be a power of
// two and is not (PowersOfTwo). The acquisition is multiplied by that belief to a power that falls with the outcomes,
// so that a wrong belief is forgotten. That follows piBO (Hvarfner, Stoll, Souza, Lindauer, Hutter, Nardi: piBO,
// Augmenting Acquisition Functions with User Beliefs for Bayesian Optimization, ICLR 2022).
//
// With a prior (earlier runs on other devices or sizes), both models learn the difference between the response and
// slope * prior. The search begins as without a prior, until the prior ranks the first kBeforePrior configurations as
// they were measured. Then the search continues with the prior's best configurations for as long as the prior is
// believed.
//
// With `features` candidates are compiled before one of them is proposed, and both models see the compiler's figures
// (FeatureColumns). A configuration that does not compile or launch is learned as a failure without an evaluation.
//
// Cost: the models hold the best and the latest observations up to a limit. Candidates stay for kCandidateAge
// proposals, and forests until the outcomes have grown by a share. The process is dropped when the forest's weight has
// passed kForestAlone. So proposals become cheaper with the observations, not dearer.
#include <algorithm>
#include <cmath>

#include "search/models/acquisition.h"
#include "search/models/candidates.h"
#include "search/models/failure_model.h"
#include "search/models/gaussian_process.h"
#include "search/models/length_scales.h"
#include "search/models/model_input.h"
#include "search/models/noise.h"
#include "search/models/observed_row.h"
#include "search/models/prior.h"
#include "search/models/proposals.h"
#include "search/strategies/start.h"
#include "search/strategies/start_plan.h"
#include "search/strategies/strategies.h"

namespace wattune::inline v0_1::search {

namespace {

constexpr std::size_t kMostProcessRows = 200;  // largest number of rows when the process is rebuilt
constexpr std::size_t kMostScaleRows = 64;     // largest number of rows to which length scales are fitted
constexpr std::size_t kScaleGrowth = 3;        // scales are fitted anew after a growth of the observations by 1/3
constexpr std::size_t kForestRows = 1000;
constexpr std::size_t kRowsBetweenRebuilds = 40;
constexpr std::size_t kElite = 3;                  // best configurations around which candidates are drawn at first
constexpr std::size_t kElitePerRows = 50;          // one more best configuration for so many observations
constexpr std::size_t kLargestElite = 150;         // largest number of such best configurations
constexpr std::size_t kFromPrior = 50;             // number of the prior's best configurations that are candidates, too
constexpr std::size_t kFewestModelRows = 2;        // fewest rows with which a model is used
constexpr std::size_t kSpreadPool = 64;            // configurations drawn for the start beyond those needed
constexpr std::size_t kBlindPool = 32;             // configurations drawn for each proposal made before any outcome
constexpr std::size_t kBeforePrior = 2;            // proposals before the first from the prior
constexpr std::size_t kCandidateAge = 20;          // proposals for which candidates are kept, at least
constexpr std::size_t kLargestCandidateAge = 100;  // proposals for which candidates are kept, at most
constexpr std::size_t kOutcomeTrees = 20;
constexpr std::size_t kForestGrowth = 10;        // forests are grown anew after a growth of the outcomes by 1/10
constexpr double kForestAlone = 0.9;             // the forest's weight at which the process is left out
constexpr double kExploringWidening = 3.0;       // factor on deviations if a proposal explores
constexpr double kPowerOfTwoPenalty = 0.5;       // subtracted from the logarithm of the acquisition, per value
constexpr std::size_t kExploringOutcomes = 100;  // outcomes after which exploring and the belief in powers of two end
constexpr std::size_t kOutcomesBeforeImprovement =
    50;  // outcomes without a new best after which the probability of improvement is used
constexpr std::size_t kOutcomesWithoutModel = 100;  // the same, after which every second proposal uses no model

class ModelSearch final : public CandidateSearch {
 public:
  ModelSearch(const space::SearchSpace& space, const StrategyOptions& options)
      : CandidateSearch(space, options), prior_(space, options.prior, random()) {}

  std::function<void()> pending_work() override {
    works_ahead_ = true;
    if (candidates_.empty() || !is_due()) return {};
    return [this] { refresh(); };
  }

  std::vector<ConfigurationId> prospects() override {
    if (!input_.uses_features()) return {};
    plan_start();
    return began_ && rows_.size() >= kFewestModelRows ? best_candidates(count_option("features"))
                                                      : start_.rest(is_visited_);
  }

 private:
  using Row = ObservedRow;
  struct Candidate {
    ConfigurationId id = 0;
    double prior = 0.0;
    std::size_t others = 0;  // number of values that are no powers of two, though the parameter lists some
    double success = 1.0;    // predicted probability of success
    Prediction forest;
  };

  Task<> search() override {
    plan_start();
    std::size_t from_prior = 0;
    for (std::size_t next = 0; next < start_.size() && from_prior < count_option("initial");) {
      prior_.weigh();
      const std::optional<ConfigurationId> promising = next < kBeforePrior ? std::nullopt : best_of_prior();
      if (promising) ++from_prior;
      const ConfigurationId id = promising ? *promising : start_.at(next++, input_, is_visited_);
      shown_.add(id);
      co_await submit(id);
    }
    began_ = true;
    for (std::size_t proposals = 1;; ++proposals) {
      std::optional<ConfigurationId> next = propose(proposals);
      if (!next) next = draw_unvisited();
      if (!next) co_return;
      co_await submit(*next);
    }
  }

  // Returns the n-th proposal after the start. Returns nullopt if the proposal is to be drawn uniformly.
  std::optional<ConfigurationId> propose(std::size_t n) {
    if (outcomes_ < kFewestModelRows) return blind_draw();
    if (rows_.size() < kFewestModelRows) return std::nullopt;
    const std::size_t every = count_option("explore");
    if (every > 0 && idle() >= kOutcomesWithoutModel && n % 2 == 0) return draw_alike(elite());
    const bool widens = every > 0 && outcomes_ < kExploringOutcomes && n % every == 0;
    return most_promising(widens ? kExploringWidening : 1.0);
  }

  void plan_start() {
    if (!start_.empty()) return;
    std::vector<ConfigurationId> planned = cold_start();
    start_.make(std::move(planned), space().sample_stratified(count_option("features"), random()));
  }

  // Returns the best known configuration, or the start configuration, and others that together show many values.
  std::vector<ConfigurationId> cold_start() {
    std::vector<ConfigurationId> ids;
    if (const auto id = starting_point()) ids.push_back(*id);
    const std::size_t initial = count_option("initial");
    std::vector<ConfigurationId> pool = space().sample_stratified(kSpreadPool + initial, random());
    for (std::size_t i = pool.size(); i > 1; --i) std::swap(pool[i - 1], pool[random().below(i)]);
    for (ConfigurationId& id : pool) id = space().project(rounded(coordinates(space(), id)));
    std::erase_if(pool, is_visited_);
    const auto others = spread_over_values(space(), ids, std::move(pool), initial - ids.size());
    ids.insert(ids.end(), others.begin(), others.end());
    return ids;
  }

  // Draws a configuration before the first outcomes. Draws some random ones and returns the one whose pairs of values
  // were proposed least.
  std::optional<ConfigurationId> blind_draw() {
    std::optional<std::pair<std::size_t, ConfigurationId>> least;
    for (std::size_t i = 0; i < kBlindPool; ++i) {
      const ConfigurationId id = space().project(rounded(coordinates(space(), space().sample(random()))));
      if (visited(id)) continue;
      const std::size_t shown = shown_.of(id);
      if (!least || shown < least->first) least = {shown, id};
    }
    if (!least) return std::nullopt;
    shown_.add(least->second);
    return least->second;
  }

  Coordinates rounded(Coordinates point) const {
    return believes_in_powers_ ? powers_.nearest(std::move(point)) : point;
  }

  std::optional<ConfigurationId> best_of_prior() const {
    const auto next = std::ranges::find_if(prior_.best(), [&](ConfigurationId id) { return !visited(id); });
    return next == prior_.best().end() ? std::nullopt : std::optional(*next);
  }

  std::optional<ConfigurationId> most_promising(double widening) {
    if (!works_ahead_ || candidates_.empty()) refresh();
    ++age_;
    const std::size_t acquisition = choose_acquisition();
    const bool compiled_only =
        std::ranges::any_of(candidates_, [&](const Candidate& each) { return is_compiled(each); });
    std::optional<std::size_t> chosen;
    double highest = -1.0;
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      if (visited(candidates_[c].id) || (compiled_only && !is_compiled(candidates_[c]))) continue;
      const double value = promise(c, acquisition, widening);
      if (value > highest) chosen = c;
      highest = std::max(highest, value);
    }
    if (!chosen) return std::nullopt;
    const ConfigurationId id = candidates_[*chosen].id;
    proposals_.remember(id, acquisition, predict(*chosen));
    return id;
  }

  std::size_t choose_acquisition() {
    const std::size_t wanted = count_option("acquisition");
    if (wanted == expected_improvement && idle() >= kOutcomesBeforeImprovement) return improvement_probability;
    return proposals_.acquisition(wanted, random());
  }

  // Returns the number of outcomes since the best outcome was told.
  std::size_t idle() const { return outcomes_ - best_since_; }

  bool is_compiled(const Candidate& each) const { return input_.features().knows(each.id) && !visited(each.id); }

  double promise(std::size_t c, std::size_t acquisition, double widening) const {
    const Prediction prediction = predict(c);
    if (calibrates_) widening *= proposals_.widening();
    return candidates_[c].success * belief(candidates_[c]) *
           acquire(acquisition, {prediction.mean, widening * prediction.deviation}, response_of(best()->objective),
                   kappa_);
  }

  // Returns the factor on the acquisition that expresses the belief in powers of two. The factor is 1 from
  // kExploringOutcomes outcomes on.
  double belief(const Candidate& candidate) const {
    const double left =
        1.0 - static_cast<double>(std::min(outcomes_, kExploringOutcomes)) / static_cast<double>(kExploringOutcomes);
    return std::exp(-kPowerOfTwoPenalty * left * static_cast<double>(candidate.others));
  }

  std::vector<ConfigurationId> best_candidates(std::size_t n) {
    refresh();
    std::vector<std::pair<double, ConfigurationId>> ranked;
    for (std::size_t c = 0; c < candidates_.size(); ++c)
      if (!visited(candidates_[c].id)) ranked.emplace_back(-promise(c, expected_improvement, 1.0), candidates_[c].id);
    std::ranges::sort(ranked);
    std::vector<ConfigurationId> ids;
    for (std::size_t i = 0; i < std::min(n, ranked.size()); ++i) ids.push_back(ranked[i].second);
    return ids;
  }

  bool needs_process() const { return uses_process() && (process_.size() < 2 || observations_ >= rebuild_at_); }
  bool needs_candidates() const {
    const std::size_t oldest = std::min(kCandidateAge + observations_ / kCandidateAge, kLargestCandidateAge);
    return candidates_.empty() || age_ > oldest || candidates_for_ != best()->id;
  }
  bool is_due() const { return needs_process() || needs_candidates() || is_stale_; }

  // Updates models and candidates with all outcomes so far.
  void refresh() {
    if (!uses_process()) process_ = GaussianProcess({});
    if (needs_process()) rebuild_process();
    if (needs_candidates()) renew_candidates();
    if (is_stale_) see_features();
  }

  void see_features() {
    is_stale_ = false;
    std::vector<Coordinates> points;
    for (const Candidate& candidate : candidates_) points.push_back(input_.point(candidate.id));
    if (uses_process()) process_.set_candidates(std::move(points));
    ask_forests();
  }

  // Returns the logarithm of an objective. For a time of zero, returns the logarithm of the smallest positive number.
  static double response_of(double objective) {
    return std::log(std::max(objective, std::numeric_limits<double>::min()));
  }

  bool uses_forest() const { return forest_ > 0.0; }
  bool uses_process() const { return forest_weight() < kForestAlone; }

  double forest_weight() const {
    const auto n = static_cast<double>(observations_);
    return uses_forest() ? n / (n + forest_) : 0.0;
  }

  Prediction predict(std::size_t c) const {
    const double weight = forest_weight();
    const double offset = slope_ * candidates_[c].prior;
    const Prediction& forest = candidates_[c].forest;
    if (weight >= kForestAlone) return {offset + forest.mean, forest.deviation};
    const Prediction process = process_.predict(c);
    return {offset + process.mean + weight * (forest.mean - process.mean),
            process.deviation + weight * (forest.deviation - process.deviation)};
  }

  void rebuild_process() {
    ask_prior();
    noise_ = Noise(rows_);
    if (observations_ >= refit_at_) fit_scales();
    process_ = GaussianProcess(scales_);
    for (const Row& row : best_and_latest(rows_, kMostProcessRows)) process_.add(observed(row));
    rebuild_at_ = observations_ + std::clamp<std::size_t>(observations_ / kScaleGrowth, 1, kRowsBetweenRebuilds);
    candidates_.clear();
  }

  void fit_scales() {
    std::vector<GaussianProcess::Observed> rows;
    for (const Row& row : best_and_latest(rows_, kMostScaleRows)) rows.push_back(observed(row));
    scales_ = fit_length_scales(rows, input_.flags());
    refit_at_ = observations_ + observations_ / kScaleGrowth;
  }

  GaussianProcess::Observed observed(const Row& row) const {
    return {input_.point(row.id), left_to_explain(row), noise_.of(row.response)};
  }

  double left_to_explain(const Row& row) const { return row.response - slope_ * row.prior; }

  // Computes the prior's weights and slope anew. Then the forests must be grown anew, because they used the earlier
  // slope.
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

  // Returns the best configurations, the best one first.
  std::vector<ConfigurationId> elite() const {
    std::vector<Row> best_rows(std::min({kElite + observations_ / kElitePerRows, kLargestElite, rows_.size()}));
    std::ranges::partial_sort_copy(rows_, best_rows, {}, &Row::response, &Row::response);
    std::vector<ConfigurationId> ids;
    for (const Row& row : best_rows) ids.push_back(row.id);
    return ids;
  }

  void add_best_of_prior(std::vector<ConfigurationId>& ids) const {
    const std::size_t most = ids.size() + kFromPrior;
    for (std::size_t i = 0; i < prior_.best().size() && ids.size() < most; ++i)
      if (!visited(prior_.best()[i])) ids.push_back(prior_.best()[i]);
  }

  void renew_candidates() {
    std::vector<ConfigurationId> ids = draw_candidates(elite(), idle());
    add_best_of_prior(ids);
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    candidates_.clear();
    std::vector<Coordinates> points;
    for (const ConfigurationId id : ids) {
      const std::size_t others = believes_in_powers_ ? powers_.missed(coordinates(space(), id)) : 0;
      candidates_.push_back({.id = id, .prior = prior_.predict(id), .others = others});
      points.push_back(input_.point(id));
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
      input_.append_row(candidate.id, row);
      if (!times_.empty()) candidate.forest = times_.predict(row);
      candidate.success = failures_.success(row);
    }
  }

  void grow_forests() {
    regrow_at_ = outcomes_ + outcomes_ / kForestGrowth;
    if (uses_forest()) {
      std::vector<std::uint16_t> rows;
      std::vector<double> responses;
      for (const Row& row : best_and_latest(rows_, kForestRows)) {
        input_.append_row(row.id, rows);
        responses.push_back(left_to_explain(row));
      }
      times_.fit(rows, input_.width(), responses, kOutcomeTrees, random());
    }
    failures_.grow(kOutcomeTrees, random());
  }

  void do_foresee(ConfigurationId id, const CompileFeatures& features) override {
    if (!features.runs) return failures_.remember(id, false);
    is_stale_ |= input_.uses_features() && !input_.features().knows(id);
    input_.learn(id, features.metrics);
  }

  void do_read(ConfigurationId id, const Observation& observation) override { input_.learn(id, observation.metrics); }

  void do_observe(ConfigurationId id, const Outcome& outcome) override {
    ++outcomes_;
    failures_.remember(id, outcome.has_value());
    const double response = outcome ? response_of(*outcome) : 0.0;
    proposals_.judge(id, outcome, best() ? best()->objective : 0.0, response);
    if (!outcome) return;
    if (best()->id == id) best_since_ = outcomes_;
    Row row{.id = id, .response = response, .opinions = prior_.opinions(id)};
    row.prior = prior_.mean(row.opinions);
    prior_.learn(row.opinions, row.response);
    rows_.push_back(row);
    if (rows_.size() >= 2 * kForestRows) rows_ = best_and_latest(rows_, kForestRows);
    ++observations_;
    if (process_.size() >= 2) process_.add(observed(row));
  }

  ModelInput input_{space(), option("features") > 0};
  const double kappa_ = option("kappa");
  const double forest_ = option("forest");
  const bool calibrates_ = option("calibrate") > 0;
  const bool believes_in_powers_ = option("powers") > 0;
  const PowersOfTwo powers_{space()};
  StartPlan start_;
  PairCounts shown_{space()};  // counts of pairs of values in proposals made before models are used
  const StartPlan::IsVisited is_visited_ = [this](ConfigurationId id) { return visited(id); };
  bool works_ahead_ = false;  // true once a caller runs pending_work()
  bool began_ = false;        // true once the first configurations are proposed
  bool is_stale_ = false;     // true if the candidates were chosen before the compiler's latest figures
  Prior prior_;
  double slope_ = 1.0;            // factor on the prior in the responses
  std::vector<Row> rows_;         // rows in the order of observation, with the oldest ones thinned out
  std::size_t observations_ = 0;  // outcomes that did not fail
  Noise noise_;                   // noise of the process's observations
  GaussianProcess process_{{}};
  std::size_t rebuild_at_ = 0;
  std::vector<double> scales_;  // length scales of the process
  std::size_t refit_at_ = 0;
  std::size_t outcomes_ = 0;    // number of outcomes, including failures
  std::size_t best_since_ = 0;  // value of outcomes_ when the best one was told
  Forest times_;                // forest of the responses
  FailureModel failures_{input_.values()};
  std::size_t regrow_at_ = 0;
  std::vector<Candidate> candidates_;   // candidates, in the order of the process's candidates
  ConfigurationId candidates_for_ = 0;  // the best configuration at the time when candidates were drawn
  std::size_t age_ = 0;
  Proposals proposals_;
};

}  // namespace

std::unique_ptr<Strategy> make_model_search(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<ModelSearch>(space, options);
}

}  // namespace wattune::search
