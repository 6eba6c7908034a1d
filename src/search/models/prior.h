// Prior: predictions for a configuration from runs on other devices or problem sizes.
//
// Only proportions carry over from another device, so each run's logarithms are taken relative to their mean. A
// configuration that was measured there is known; a forest predicts any other.
//
// weigh() decides which runs to believe, by what was measured here. A run counts by how well it ranks these
// measurements (Spearman's coefficient r), and not at all if chance could rank them as well. Its weight is (r^2 / (1 -
// r^2))^2: the explained share over the unexplained one, squared so that many worse runs hardly dilute the best one.
// slope() is the factor by which the proportions apply here. This is transfer by a scaled mean function, as in Bonilla,
// Chai, Williams: Multi-task Gaussian process prediction, NIPS 2007, for tasks of one correlation.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "search/models/forest.h"
#include "wattune/search/strategy.h"

namespace wattune::inline v0_1::search {

class Prior {
 public:
  // The prediction of each run for a configuration: the logarithm of its objective, relative to the run's mean.
  using Opinions = std::vector<double>;

  // Makes a prior. Leaves out objectives that are not positive numbers, and runs whose objectives are all alike.
  Prior(const space::SearchSpace& space, const std::vector<std::vector<PriorObjective>>& runs, Random& random);

  bool empty() const { return runs_.empty(); }
  // True if any run has a weight; otherwise all means and predictions are 0.
  bool believed() const;
  Opinions opinions(ConfigurationId id) const;
  // Returns the opinions' mean by the weights of the runs.
  double mean(const Opinions& opinions) const;
  // Returns the weighted mean of the runs' predictions for a configuration. Asks only the runs that have a weight.
  double predict(ConfigurationId id) const;
  // Returns the best configurations of every run that has a weight, the most promising first.
  const std::vector<ConfigurationId>& best() const { return best_; }

  // Learns from a configuration that was measured here: its opinions, and the logarithm of its objective.
  void learn(const Opinions& opinions, double response);
  // Weighs the runs by all that was learned.
  void weigh();

  struct Pair {
    double prior = 0.0;     // mean()
    double response = 0.0;  // logarithm of the objective measured here
  };
  // Returns the factor on mean() that explains the responses best (least squares), at least 0. It begins at 1, which
  // counts as much as kSlopeObservations observations.
  double slope(std::span<const Pair> pairs) const;

 private:
  static constexpr double kSlopeObservations = 3.0;

  struct Known {
    ConfigurationId id = 0;
    double value = 0.0;
  };
  struct Run {
    std::vector<Known> known;  // the run's own measurements, ascending by id
    Forest forest;
    double variance = 0.0;  // variance of the run's own measurements
    double belief = 0.0;    // rank correlation expected before anything is measured here
    double weight = 0.0;
    std::vector<double> opinions;  // parallel to responses_
  };
  struct Promising {
    ConfigurationId id = 0;
    Opinions opinions;
  };

  std::optional<Run> read(const std::vector<PriorObjective>& objectives, Random& random) const;
  void fit(Run& run, const std::vector<Known>& best_first, Random& random) const;
  double opinion(const Run& run, ConfigurationId id) const;
  void collect(std::vector<ConfigurationId> ids);
  void order_best();

  const space::SearchSpace& space_;
  std::vector<Run> runs_;
  std::vector<double> responses_;     // logarithms of the objectives measured here
  std::vector<Promising> promising_;  // the best of every run
  std::vector<ConfigurationId> best_;
};

// Returns Spearman's coefficient, equal numbers sharing their mean rank; 0 if all numbers of a side are equal.
// Precondition: `a` and `b` have equally many numbers.
double rank_correlation(std::span<const double> a, std::span<const double> b);

}  // namespace wattune::search
