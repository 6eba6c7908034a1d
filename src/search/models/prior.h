// Prior: predictions for a configuration from runs on other devices or problem sizes.
//
// Only proportions carry over from another device, so each run's logarithms are taken relative to their mean. The
// logarithm of a configuration that was measured there is known; a forest predicts that of any other.
//
// weigh() decides from the measurements here which runs to believe. A run counts by how well it ranks these
// measurements (Spearman's coefficient r), and not at all if chance could rank them as well. Its weight is (r^2 / (1 -
// r^2))^2: the explained share over the unexplained one, squared so that many worse runs hardly dilute the best one.
// slope() is the factor by which the proportions apply here. This is transfer by a scaled mean function, as in Bonilla,
// Chai, Williams: Multi-task Gaussian process prediction, NIPS 2007, for tasks with a single correlation.
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
  // Returns the mean of the runs' predictions, weighted by the weights of the runs.
  double mean(const Opinions& opinions) const;
  // Returns the weighted mean of the runs' predictions for a configuration. Asks only the runs that have a weight.
  double predict(ConfigurationId id) const;
  // Returns the best configurations of every run that has a weight, the most promising first.
  const std::vector<ConfigurationId>& best() const { return best_; }

  // Learns from a configuration that was measured here: the runs' predictions for it, and the logarithm of its
  // objective.
  void learn(const Opinions& opinions, double response);
  // Weighs the runs by all that has been learned.
  void weigh();

  struct Pair {
    double prior = 0.0;     // the runs' mean() for the configuration
    double response = 0.0;  // logarithm of the objective measured here
  };
  // Returns the factor of mean() that explains the responses best (least squares), at least 0. Before any observation
  // it is 1, and this value counts as much as kSlopeObservations observations.
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
    double belief = 0.0;    // the rank correlation that is expected before anything is measured here
    double weight = 0.0;
    std::vector<double> opinions;  // predictions in the order of responses_
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
  std::vector<Promising> promising_;  // the best configurations of every run
  std::vector<ConfigurationId> best_;
};

// Returns Spearman's coefficient, where equal numbers get their mean rank. Returns 0 if all numbers of `a`, or all of
// `b`, are equal. Precondition: both have the same length.
double rank_correlation(std::span<const double> a, std::span<const double> b);

}  // namespace wattune::search
