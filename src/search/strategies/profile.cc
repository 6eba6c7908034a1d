// Search by bottlenecks: KTT's profile-based searcher (Filipovic, Hozzova, Nezarat, Olha, Petrovic: Using hardware
// performance counters to speed up autotuning convergence on GPUs, JPDC 160, 2022; KTT 2.2's constants).
//
// A batch is measured, and the counters of its fastest configuration show its bottlenecks, and so which counters should
// change (bottlenecks.h). A model predicts the counters from the parameters. Candidates are a few random
// configurations, and unvisited ones that differ from the fastest in one or two parameters. With p the counters
// predicted for a candidate and q those for the fastest, its score is
//
//   s = sum over the counters of change * 2 (p - q) / (p + q)
//
// The next batch is drawn with probabilities that are proportional to (1 + s / max s)^exponent above 0, to (1 - s / min
// s)^exponent below, and tiny below kLeastScore. Then the fastest configuration of that batch takes the place of the
// earlier one, even if it is slower.
//
// The model is a forest per counter (KTT: a decision tree), because the amounts that a kernel moves and executes depend
// on its parameters far more than on the device. It is fitted to the prior, that is, earlier runs on any device, or
// else to the measurements of this run. KTT repeats the fastest of a batch to profile it; here the counters are
// recorded with each measurement. Without counters all candidates are equally likely.
#include <algorithm>
#include <cmath>
#include <set>

#include "search/models/bottlenecks.h"
#include "search/models/forest.h"
#include "search/strategies/local_search.h"
#include "search/strategies/random_choice.h"
#include "search/strategies/strategies.h"

namespace wattune::inline v0_1::search {

namespace {

constexpr std::size_t kMostChangedParameters = 2;  // largest number of parameters in which a neighbour differs
constexpr double kLeastScore = -0.25;              // candidates with lower scores are unwanted
constexpr double kUnwanted = 1e-4;                 // relative probability of unwanted ones; 1 is that of a score of 0
constexpr std::size_t kMostCounterRows = 2000;     // largest number of rows that the model learns
constexpr std::size_t kCounterTrees = 10;
constexpr std::size_t kRefitGrowth = 10;  // the model is fitted anew after a growth of the rows by 1/10

// A model that predicts the counters of configurations.
class CounterModel {
 public:
  explicit CounterModel(const space::SearchSpace& space) : space_(space) {}

  void add(ConfigurationId id, const Counters& counters) {
    rows_.push_back({id, counters});
    if (rows_.size() > fitted_ + fitted_ / kRefitGrowth) forests_ = {};
  }

  // Adds a run on some device. Each counter is added as a share of its mean on that device, since only proportions
  // carry over to other devices.
  void add_run(const std::vector<PriorObjective>& run) {
    std::vector<Row> rows;
    for (const PriorObjective& each : run)
      if (const auto counters = counters_in(each.metrics)) rows.push_back({each.id, *counters});
    for (std::size_t c = 0; c < counter_count; ++c) scale_to_mean(rows, static_cast<Counter>(c));
    for (const Row& row : rows) add(row.id, row.counters);
  }

  bool empty() const { return rows_.empty(); }

  // Fits the forests of the counters for which changes are desired.
  void fit(const Changes& changes, Random& random) {
    fitted_ = rows_.size();
    for (std::size_t c = 0; c < counter_count; ++c)
      if (changes[c] != 0.0 && forests_[c].empty()) fit_forest(static_cast<Counter>(c), random);
  }

  // Returns a score: how far a configuration, compared with the current one, changes the counters as desired.
  double score(const Changes& changes, ConfigurationId candidate, ConfigurationId current) const {
    space::ValueIndices there;
    space::ValueIndices here;
    space_.unrank(candidate, there);
    space_.unrank(current, here);
    double score = 0.0;
    for (std::size_t c = 0; c < counter_count; ++c) {
      if (changes[c] == 0.0 || forests_[c].empty()) continue;
      const double p = forests_[c].predict(there).mean;
      const double q = forests_[c].predict(here).mean;
      if (p + q > 0.0) score += changes[c] * 2.0 * (p - q) / (p + q);
    }
    return score;
  }

 private:
  struct Row {
    ConfigurationId id = 0;
    Counters counters;
  };

  static void scale_to_mean(std::vector<Row>& rows, Counter counter) {
    double sum = 0.0;
    double count = 0.0;
    for (const Row& row : rows) {
      if (!row.counters.has(counter)) continue;
      sum += row.counters.value_or(counter, 0.0);
      count += 1.0;
    }
    if (!(sum > 0.0)) return;
    for (Row& row : rows) row.counters[counter] *= count / sum;
  }

  // Fits the forest of a counter. If there are too many rows, evenly spread ones are used.
  void fit_forest(Counter counter, Random& random) {
    std::vector<std::uint16_t> places;
    std::vector<double> values;
    space::ValueIndices indices;
    for (std::size_t i = 0; i < rows_.size(); i += 1 + rows_.size() / kMostCounterRows) {
      if (!rows_[i].counters.has(counter)) continue;
      space_.unrank(rows_[i].id, indices);
      places.insert(places.end(), indices.begin(), indices.end());
      values.push_back(rows_[i].counters.value_or(counter, 0.0));
    }
    if (!values.empty()) forests_[counter].fit(places, space_.parameters().size(), values, kCounterTrees, random);
  }

  const space::SearchSpace& space_;
  std::vector<Row> rows_;
  std::size_t fitted_ = 0;  // number of rows to which the model was fitted
  std::array<Forest, counter_count> forests_;
};

class ProfileSearch final : public Walk {
 public:
  ProfileSearch(const space::SearchSpace& space, const StrategyOptions& options) : Walk(space, options), model_(space) {
    for (const std::vector<PriorObjective>& run : options.prior) model_.add_run(run);
    has_prior_ = !model_.empty();
  }

  std::string remark() const override {
    if (blind_ == 0) return {};
    return "profile: " + std::to_string(blind_) + " of " + std::to_string(steps_) +
           " steps had no hardware counters and went at random";
  }

 private:
  Task<> search() override {
    std::vector<ConfigurationId> batch = starting_points(count_option("batch"));
    while (!batch.empty()) {
      const std::vector<Outcome> outcomes = co_await evaluate_all(batch);
      const auto fastest = std::ranges::min_element(outcomes, {}, cost) - outcomes.begin();
      if (outcomes[static_cast<std::size_t>(fastest)])
        batch = next_batch(batch[static_cast<std::size_t>(fastest)]);
      else
        batch = draw_batch();
    }
  }

  std::vector<ConfigurationId> draw_batch() {
    std::vector<ConfigurationId> batch;
    while (batch.size() < count_option("batch")) {
      const std::optional<ConfigurationId> id = draw_unvisited();
      if (!id) break;
      batch.push_back(*id);
    }
    return batch;
  }

  std::vector<ConfigurationId> next_batch(ConfigurationId current) {
    std::vector<ConfigurationId> candidates = draw_candidates(current);
    if (candidates.empty()) return draw_batch();
    std::vector<double> weights = weights_of(candidates, current);
    std::vector<ConfigurationId> batch;
    while (batch.size() < count_option("batch") && batch.size() < candidates.size()) {
      const std::size_t chosen = weighted_choice(weights, random());
      weights[chosen] = 0.0;
      batch.push_back(candidates[chosen]);
    }
    return batch;
  }

  // Draws candidates by random walks, because a large space has tens of thousands of neighbours that differ in two
  // parameters.
  std::vector<ConfigurationId> draw_candidates(ConfigurationId current) {
    constexpr std::size_t kTriesPerDraw = 3;  // tries per candidate; late in a search most fail
    const std::size_t near = count_option("neighbours");
    const std::size_t all = near + count_option("random");
    std::set<ConfigurationId> candidates;
    for (std::size_t i = 0; i < kTriesPerDraw * near && candidates.size() < near; ++i) {
      const ConfigurationId id = random_walk(current, 1 + random().below(kMostChangedParameters));
      if (!visited(id)) candidates.insert(id);
    }
    for (std::size_t i = 0; i < kTriesPerDraw * all && candidates.size() < all; ++i) {
      const ConfigurationId id = space().sample(random());
      if (!visited(id)) candidates.insert(id);
    }
    return {candidates.begin(), candidates.end()};
  }

  std::vector<double> weights_of(const std::vector<ConfigurationId>& candidates, ConfigurationId current) {
    std::vector<double> scores(candidates.size(), 0.0);
    ++steps_;
    const auto found = counters_.find(current);
    if (found == counters_.end()) {
      ++blind_;
    } else {
      const Changes changes = desired_changes(found->second, option("reaction"));
      model_.fit(changes, random());
      for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = model_.score(changes, candidates[i], current);
    }
    const auto [lowest, highest] = std::ranges::minmax(scores);
    for (double& score : scores) score = weight_of(score, lowest, highest);
    return scores;
  }

  double weight_of(double score, double lowest, double highest) const {
    if (score < kLeastScore) return kUnwanted;
    double base = 1.0;
    if (score > 0.0) base += score / highest;
    if (score < 0.0) base -= score / lowest;
    return std::max(kUnwanted, std::pow(base, option("exponent")));
  }

  void do_read(ConfigurationId id, const Observation& observation) override {
    const std::optional<Counters> counters = counters_in(observation.metrics);
    if (!counters) return;
    counters_[id] = *counters;
    if (!has_prior_) model_.add(id, *counters);
  }

  CounterModel model_;
  bool has_prior_ = false;
  std::unordered_map<ConfigurationId, Counters, IdHash> counters_;
  std::size_t steps_ = 0;
  std::size_t blind_ = 0;  // number of steps that had no counters
};

}  // namespace

std::unique_ptr<Strategy> make_profile(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<ProfileSearch>(space, options);
}

}  // namespace wattune::search
